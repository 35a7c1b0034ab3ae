# shellcheck shell=sh
# Sourced by overture and test. Leaves $root (the checkout), the dependencies of package-lock.json in place and
# Node 26 first on the PATH. Writes to stderr only: stdout belongs to the command's result.
# POSIX sh: it has to run before anything is installed.

root=$(dirname "$(dirname "$(readlink -f "$0")")")

say() { printf '%s\n' "$*" >&2; }
fail() {
  say "${0##*/}: $*"
  exit 1
}

is_node() { [ "$("$1" -p 'parseInt(process.versions.node)' 2>/dev/null || echo 0)" -ge "$2" ]; }

# The second test is for a process of another user, which may not be signalled.
is_alive() { kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ]; }

stamp() { echo "$(uname -sm) $(cksum <"$root/package-lock.json")"; }

# The Docker image has no lock file: it is complete as it was built.
is_installed() {
  [ ! -f "$root/package-lock.json" ] || [ "$(cat "$root/node_modules/.installed" 2>/dev/null)" = "$(stamp)" ]
}

# Every install happens in a folder of its own, named by its process, and is renamed into place when it is
# whole. So a kill at any moment and two starts at once are harmless; waiting only saves doing it twice,
# which is why it may end after five minutes. The smaller number goes first, so that nobody waits in a ring.
wait_for_others() {
  for other in "$root"/.installing.*; do
    pid=${other##*.}
    seconds=0
    while [ "$pid" -lt $$ ] && [ -d "$other" ] && is_alive "$pid" && [ "$seconds" -lt 300 ]; do
      [ "$seconds" -gt 0 ] || say 'Another process is installing the dependencies, waiting for it…'
      sleep 1
      seconds=$((seconds + 1))
    done
    is_alive "$pid" || rm -rf "$other" 2>/dev/null || true
  done
}

# Asked politely, npm first finishes the whole install.
stop_install() {
  [ -z "$npm" ] || { kill -9 "$npm" && wait "$npm"; } 2>/dev/null || true
  rm -rf "$work"
}

# What npm is told is said outright, so that neither NODE_ENV nor the user's own settings leave a part out. The
# error level hides the warning that npm's own Node is older than the one this install brings. npm runs in the
# background because sh acts on a signal only while it waits.
run_npm() {
  (cd "$work" && exec npm ci --include=dev --include=optional --ignore-scripts --engine-strict=false \
    --no-audit --no-fund --no-update-notifier --loglevel=error >/dev/null) &
  npm=$!
  wait "$npm" || fail 'npm could not install the dependencies, see above. It is safe to start again.'
  npm=
}

install() {
  advice='Install Node.js 20 or newer, which brings npm: https://nodejs.org/en/download'
  command -v npm >/dev/null || fail "npm is missing. $advice"
  is_node node 20 || fail "Node.js is missing or older than 20. $advice"
  [ -w "$root" ] || fail "the dependencies are not installed and $(id -un) may not write to $root. Run this once as its owner."

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
    say 'Installing the dependencies (about 20 s, only when they changed)…'
    cp "$root/package.json" "$root/package-lock.json" "$work"
    run_npm
    # Where the packaged Node doesn't run (musl, say), the system's own has to serve.
    is_node "$work/node_modules/.bin/node" 26 || rm -f "$work/node_modules/.bin/node"
    mkdir -p "$work/node_modules"
    stamp >"$work/node_modules/.installed"
    put_in_place
  fi
  stop_install
  trap - EXIT HUP INT TERM
}

# mv refuses to replace a folder: when one is there after all, another process has just put the same into place.
put_in_place() {
  if is_installed; then return; fi
  if { [ ! -e "$root/node_modules" ] || mv "$root/node_modules" "$work/old"; } && mv "$work/node_modules" "$root/"; then
    return
  fi
  is_installed || fail "could not replace $root/node_modules. Remove that folder and start again."
}

is_installed || install
[ -x "$root/node_modules/.bin/node" ] || is_node node 26 ||
  fail "there is no packaged Node.js for this system ($(uname -sm)). Install Node.js 26 or newer."
PATH=$root/node_modules/.bin:$PATH
export PATH
