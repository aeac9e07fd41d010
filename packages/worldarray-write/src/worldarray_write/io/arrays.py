"""Writing voxels through tensorstore."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldarray.errors import AccessError, StoreUnavailableError, WorldArrayError, problem
from worldarray.io import messages, retry, runtime
from worldarray.paths import Location


def write_values(
    store: Any,
    where: tuple[slice, ...],
    values: np.ndarray[Any, Any],
    path: Location,
    retries: retry.Retry | None,
) -> None:
    """Write an array to a box of an open store and return when it is stored.

    Without `retries` the write is tried once and waited for as long as it takes: giving up on it would not undo it.

    Raises
    ------
    AccessError, StoreUnavailableError
        The store refused, or did not take the data; the message names the file where one is known.
    """
    runtime.refuse_fork()
    view = store[where]
    if retries is not None:
        retry.wait(
            lambda: view.write(values),
            retries,
            nbytes=values.nbytes,
            remote=path.remote,
            explain=lambda error: of_write(error, path),
        )
        return
    try:
        view.write(values).result()
    except runtime.ERRORS as error:
        raise of_write(error, path) from error


def of_write(error: Exception, where: Location) -> WorldArrayError:
    """Return what is raised when data of the array at `where` cannot be written."""
    about = messages.failed(error, where)
    if messages.kind(error) == "refused":
        message = f"writing it was refused: {about.reason}; check the credentials, or who may write the folder"
        return AccessError(problem("access_denied", (about.name,), message))
    message = f"it was not written, or not wholly: {about.reason}; write the same units again"
    return StoreUnavailableError(problem("unavailable", (about.name,), message))
