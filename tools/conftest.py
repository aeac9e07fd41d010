"""Leave these scripts out on Python 3.10: they read TOML with the standard library, which has no reader there."""

import sys

collect_ignore_glob = [] if sys.version_info >= (3, 11) else ["*.py", "tests/*.py"]
