# shellcheck shell=sh
# Sourced by overture, build-web and test. Sets $root to the checkout, installs the dependencies of package-lock.json
# and puts Node 26 first on the PATH. Writes only to stderr, because stdout is for the command's result. POSIX sh,
# because nothing is installed yet.

root=$(dirname "$(dirname "$(readlink -f "$0")")")

say() { printf '%s\n' "$*" >&2; }
fail() {
  say "${0##*/}: $*"
  exit 1
}

is_node() { [ "$("$1" -p 'parseInt(process.versions.node)' 2>/dev/null || echo 0)" -ge "$2" ]; }

# The second test is for processes of other users, which cannot be signaled.
is_alive() { kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ]; }

stamp() { echo "$(uname -sm) $(cksum <"$root/package-lock.json")"; }

# The Docker image has no lock file and contains the dependencies.
is_installed() {
  [ ! -f "$root/package-lock.json" ] || [ "$(cat "$root/node_modules/.installed" 2>/dev/null)" = "$(stamp)" ]
}

# Each process installs into a folder named after its process ID, and renames the folder into place when complete, so
# kills and concurrent starts are safe. Waiting only avoids duplicate work and stops after five minutes. Processes wait
# only for lower process IDs, so they can't deadlock.
wait_for_others() {
  for other in "$root"/.installing.*; do
    pid=${other##*.}
    seconds=0
    while [ "$pid" -lt $$ ] && [ -d "$other" ] && is_alive "$pid" && [ "$seconds" -lt 300 ]; do
      [ "$seconds" -gt 0 ] || say 'Waiting for another process to install the dependencies…'
      sleep 1
      seconds=$((seconds + 1))
    done
    is_alive "$pid" || rm -rf "$other" 2>/dev/null || true
  done
}

# On SIGTERM, npm would finish the whole install first.
stop_install() {
  [ -z "$npm" ] || { kill -9 "$npm" && wait "$npm"; } 2>/dev/null || true
  rm -rf "$work"
}

# The explicit options keep NODE_ENV and the user's npm settings from omitting packages. Log level error hides the
# warning that the Node running npm is older than the one being installed. npm runs in the background, because sh
# handles signals only while it waits.
run_npm() {
  (cd "$work" && exec npm ci --include=dev --include=optional --ignore-scripts --engine-strict=false \
    --no-audit --no-fund --no-update-notifier --loglevel=error >/dev/null) &
  npm=$!
  wait "$npm" || fail 'npm could not install the dependencies; see the errors above. It is safe to try again.'
  npm=
}

install() {
  advice='Install Node.js 20 or newer, which includes npm: https://nodejs.org/en/download'
  command -v npm >/dev/null || fail "npm was not found. $advice"
  is_node node 20 || fail "Node.js was not found or is older than version 20. $advice"
  [ -w "$root" ] || fail "the dependencies are not installed and $(id -un) cannot write to $root. Run this command once as the owner of the folder."

  work=$root/.installing.$$
  npm=
  trap stop_install EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  rm -rf "$work"
  mkdir "$work"
  wait_for_others
  if ! is_installed; then
    say 'Installing the dependencies (about 20 seconds, only after changes)…'
    cp "$root/package.json" "$root/package-lock.json" "$work"
    run_npm
    # If the packaged Node does not run here (for example with musl), the system's Node is used.
    is_node "$work/node_modules/.bin/node" 26 || rm -f "$work/node_modules/.bin/node"
    mkdir -p "$work/node_modules"
    stamp >"$work/node_modules/.installed"
    put_in_place
  fi
  stop_install
  trap - EXIT HUP INT TERM
}

# mv refuses to replace a folder: if there is one, another process has just installed the same dependencies.
put_in_place() {
  if is_installed; then return; fi
  if { [ ! -e "$root/node_modules" ] || mv "$root/node_modules" "$work/old"; } && mv "$work/node_modules" "$root/"; then
    return
  fi
  is_installed || fail "could not replace $root/node_modules. Delete that folder and try again."
}

is_installed || install
[ -x "$root/node_modules/.bin/node" ] || is_node node 26 ||
  fail "no packaged Node.js is available for this system ($(uname -sm)). Install Node.js 26 or newer."
PATH=$root/node_modules/.bin:$PATH
export PATH
