#!/usr/bin/env bash
# What the wrapper costs a command: `progmon run -- CMD` beside `env CMD`, in
# turns, medians. The bar is 3. An interpreter keeps it; a command that does
# nothing does not: env is one exec, and progmon --version, which does nothing
# either, takes more than half of the bar. docs/WRAPPER.md says what the rest is.
#
#	testdata/bench/start.sh [PROGMON [ROUNDS]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
progmon=$(realpath "${1:-bin/progmon}")
rounds=${2:-100}
export LC_ALL=C # a point in EPOCHREALTIME
[[ ${EPOCHREALTIME:-} == *.* ]] || { echo "start.sh: this bash has no EPOCHREALTIME, bash 5 has" >&2; exit 69; }

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export PROGMON_DB=$dir/trail.db PROGMON_ROOT=$dir/runs PROGMON_QUIET=1
"$progmon" start first >/dev/null # the trail is there

# took CMD...: µs that the whole command takes.
took() {
    local a=${EPOCHREALTIME/./}
    "$@" </dev/null >/dev/null 2>&1
    echo $((${EPOCHREALTIME/./} - a))
}
# first CMD...: µs until a bash that CMD ends in has started.
first() {
    local a=${EPOCHREALTIME/./} b
    "$@" bash --norc -c 'echo "$EPOCHREALTIME" >"$0"' "$dir/first" </dev/null
    read -r b <"$dir/first"
    echo $((${b/./} - a))
}
median() { sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"; }
# compare WHAT HOW [CMD...] prints a line.
compare() {
    local what=$1 how=$2 k e r
    shift 2
    for ((k = 0; k < rounds; k++)); do
        "$how" env "$@" >&3
        "$how" "$progmon" run -- "$@" >&4
    done 3>"$dir/env" 4>"$dir/run"
    e=$(median "$dir/env") r=$(median "$dir/run")
    printf '%-22s %6d µs %6d µs %4d.%02d\n' "$what" "$e" "$r" $((r / e)) $((r * 100 / e % 100))
}

printf '%-22s %8s %9s %7s\n' '' env 'progmon run' ratio
for ((k = 0; k < rounds; k++)); do took "$progmon" --version; done >"$dir/nothing"
printf '%-22s %9s %6d µs\n' 'progmon --version' '' "$(median "$dir/nothing")"
compare 'start of bash' first
compare 'true' took true
for cmd in 'python3 -c pass' 'perl -e 0' 'node -e 0'; do
    if command -v "${cmd%% *}" >/dev/null; then
        # shellcheck disable=SC2086 # three words
        compare "$cmd" took $cmd
    fi
done
