# Sourced by shell scripts: functions that install the packages of a check in the folder of the check.
#
#   python_packages FOLDER   installs requirements.txt into FOLDER/.venv
#   node_packages FOLDER     installs package-lock.json into FOLDER/node_modules
#
# Both return immediately if the packages are installed already, and wait if another check is installing them.

python_packages() {
  (
    cd "$1"
    exec 9<requirements.txt
    flock 9
    ! cmp -s requirements.txt .venv/installed || exit 0
    [ -x .venv/bin/python ] || python3 -m venv .venv
    .venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
    cp requirements.txt .venv/installed
  )
}

node_packages() {
  (
    cd "$1"
    exec 9<package-lock.json
    flock 9
    ! cmp -s package-lock.json node_modules/installed || exit 0
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    cp package-lock.json node_modules/installed
  )
}
