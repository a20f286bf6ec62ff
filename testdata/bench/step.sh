#!/usr/bin/env bash
# What one step costs as a process: `progmon step done` beside the sqlite3 shell
# doing the same transaction on a trail of its own, in turns. The bar is 1.6.
#
#	testdata/bench/step.sh [PROGMON [STEPS]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
progmon=$(realpath "${1:-bin/progmon}")
steps=${2:-300}
command -v sqlite3 >/dev/null || { echo "step.sh: sqlite3 is missing" >&2; exit 69; }

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export PROGMON_DB=$dir/ours.db PROGMON_RUN=r PROGMON_EPOCH=1
"$progmon" start r --total "$steps" >/dev/null
"$progmon" --db "$dir/theirs.db" start r --total "$steps" >/dev/null

now() { date +%s%N; }
declare -a ours theirs
for ((k = 1; k <= steps; k++)); do
    a=$(now)
    "$progmon" step done "$k" >/dev/null
    b=$(now)
    sqlite3 "$dir/theirs.db" "PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;
        BEGIN IMMEDIATE;
        UPDATE step SET state = 'done', epoch = 1 WHERE run_id = 'r' AND pos = $k AND finished_ms IS NULL;
        SELECT last_event, position FROM cursor WHERE run_id = 'r';
        COMMIT" >/dev/null
    c=$(now)
    ours+=($((b - a)))
    theirs+=($((c - b)))
done
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }
o=$(median "${ours[@]}") t=$(median "${theirs[@]}")
printf 'progmon step done  %6d µs\nsqlite3            %6d µs\nratio              %d.%02d\n' \
    $((o / 1000)) $((t / 1000)) $((o / t)) $((o * 100 / t % 100))
