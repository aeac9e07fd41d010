"""What importing the package costs, told by what it imports."""

from __future__ import annotations

import subprocess
import sys

import worldarray as wa


def _modules_after(code: str) -> set[str]:
    printed = subprocess.check_output([sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"], text=True)
    return set(printed.split())


def test_importing_the_package_imports_neither_numpy_nor_tensorstore():
    assert not {"numpy", "tensorstore", "asyncio"} & _modules_after("import worldarray")


def test_describing_a_store_does_not_import_tensorstore():
    code = "import worldarray as wa, worldarray.demo as d\nwith d.demo_pyramid() as p: wa.open_pyramid(p).metas()\nsys"
    found = _modules_after(code)
    assert "numpy" in found
    assert not {"tensorstore", "asyncio"} & found


def test_every_public_name_is_there_and_listed():
    for name in wa.__all__:
        assert getattr(wa, name) is not None
    assert set(wa.__all__) <= set(dir(wa))
    assert wa.__all__ == sorted(wa.__all__)


def test_a_name_is_imported_from_its_module_once():
    assert wa.open is wa.api.open
    assert "open" in vars(wa)
    assert wa.units is sys.modules["worldarray.units"]
