#!/usr/bin/env bash
# A worker that counts the words of a directory of files, a step a file.
#
# It leaves its trail through progmon: one call a flip, or with --stream one
# long-lived "progmon step -" that is told of each flip by a line of JSON. The
# rest of the file is its work, and the ways in which it can be told to
# misbehave.
#
#     worker.sh --db trail.db --run words --corpus DIR --out DIR
set -euo pipefail
export LC_ALL=C
me=${0##*/}
die() { echo "$me: $1" >&2; exit "${2:-1}"; }

usage() {
    cat <<'USAGE'
usage: worker.sh --corpus DIR --out DIR [--db FILE] [--run ID] [--family NAME]
           [--files N] [--behave HOW[:K]] [--pace 200ms] [--pause 10s]
           [--at-most 10m] [--resume] [--stream]
HOW is finish, never, recede, or in step K: quiet, recover, retry, marks, hold,
budget, crash.
USAGE
}

# ms DURATION: milliseconds out of 200ms, 12s, 5m, 1h.
ms() {
    [[ $1 =~ ^([0-9]+)(ms|s|m|h)$ ]] || die "'$1' is no duration: write it like 200ms, 12s or 5m" 64
    case ${BASH_REMATCH[2]} in
        ms) echo "${BASH_REMATCH[1]}" ;;
        s) echo $((BASH_REMATCH[1] * 1000)) ;;
        m) echo $((BASH_REMATCH[1] * 60000)) ;;
        h) echo $((BASH_REMATCH[1] * 3600000)) ;;
    esac
}

# seconds MS: 1200 is 1.200
seconds() { printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)); }

sha256=$(command -v sha256sum || echo shasum -a 256)
progmon=${PROGMON:-progmon}
run=${PROGMON_RUN:-words} family=words corpus='' out='' files=0 behave=finish
pace=200 pause=10000 at_most=600000 resume='' stream=''
while (($#)); do
    case $1 in
        --resume) resume=1; shift; continue ;;
        --stream) stream=1; shift; continue ;;
        --help | -h) usage; exit 0 ;;
        --*) (($# > 1)) || die "flag $1 needs a value" 64 ;;
        *) usage >&2; exit 64 ;;
    esac
    case $1 in
        --db) export PROGMON_DB=$2 ;;
        --run) run=$2 ;;
        --family) family=$2 ;;
        --corpus) corpus=$2 ;;
        --out) out=$2 ;;
        --files) files=$2 ;;
        --behave) behave=$2 ;;
        --pace) pace=$(ms "$2") ;;
        --pause) pause=$(ms "$2") ;;
        --at-most) at_most=$(ms "$2") ;;
        *) usage >&2; exit 64 ;;
    esac
    shift 2
done
[[ $corpus && $out ]] || { usage >&2; exit 64; }
how=${behave%%:*} k=3
[[ $behave != *:* ]] || k=${behave#*:}
mkdir -p "$out"

texts=("$corpus"/*.txt)
((files == 0)) || texts=("${texts[@]:0:files}")
total=${#texts[@]}

# rest MS: sleep, and end the process when it has lived as long as it may.
rest() {
    local left=$((at_most - SECONDS * 1000)) nap=$1
    ((nap < left)) || nap=$((left > 0 ? left : 0))
    sleep "$(seconds "$nap")"
    ((nap == $1)) || die '--at-most is over' 124
}
rest_for_ever() { while :; do rest 1000; done; }

# say WORD…: a progmon command that answers with its exit code. 77 means that
# another worker has the run now: stop, and write nothing more.
say() { "$progmon" "$@" </dev/null >/dev/null || exit; }

# flip begin|done|fail|mark STEP [FLAG…]: returns when the row is durable.
flip() {
    if [[ ! $stream ]]; then
        say step "$@"
        return
    fi
    local verb=$1 step=$2 line answer
    shift 2
    case $verb in
        begin) line='"step.begun"' ;;
        done) line='"step.done"' ;;
        fail) line='"step.failed"' ;;
        mark) line='"step.marked"' ;;
    esac
    line="{\"kind\":$line,\"step\":$step"
    while (($#)); do
        case $1 in
            --amount) line+=",\"amount\":$2" ;;
            --of) line+=",\"of\":$2" ;;
            --expect) line+=",\"expect_s\":$(seconds "$(ms "$2")")" ;;
            --note) line+=",\"note\":\"$2\"" ;;
        esac
        shift 2
    done
    echo "$line}" >&3
    read -r answer <&4 || die 'progmon step - has ended'
    [[ $answer == '{"ok":true,'* ]] && return
    [[ $answer == *'"code":77'* ]] && die "$answer" 77
    die "$answer" 65
}

# count FILE: the real work. It reads a file and keeps what was counted.
count() {
    local lines words bytes sum _
    read -r lines words bytes _ < <(wc -lwc "$1")
    read -r sum _ < <($sha256 "$1")
    printf '%s\t%s\t%s\t%s\t%s\n' "${1##*/}" "$lines" "$words" "$bytes" "$sum" >"$out/.part.$$"
    mv "$out/.part.$$" "$out/${1##*/}.part"
}

# work STEP: do one step, in the way that was asked of it.
work() {
    local now=finish amount=0 lines _ file=${texts[$((($1 - 1) % ${#texts[@]}))]}
    (($1 != k)) || now=$how
    if [[ $now == hold ]]; then
        say hold --for "$((pause * 2))ms" --reason 'the export window is closed'
        rest "$pause"
        say resume
    fi
    if [[ $now == budget ]]; then
        flip begin "$1" --expect "$((pause * 2))ms"
    else
        flip begin "$1"
    fi
    case $now in
        quiet) rest_for_ever ;;
        recover | budget) rest "$pause" ;;
        marks)
            # Reading slowly, a line at a time: that is progress inside a step.
            read -r lines _ < <(wc -l "$file")
            while ((amount < lines)); do
                rest "$pace"
                amount=$((amount + 1))
                flip mark "$1" --amount "$amount" --of "$lines"
            done
            ;;
        crash)
            say finish --code 3
            exit 3
            ;;
        *) rest "$pace" ;;
    esac
    while [[ $now == retry ]]; do
        flip fail "$1" --note 'the file is locked'
        flip begin "$1"
        rest "$pace"
    done
    count "$file"
    flip done "$1"
}

export PROGMON_RUN=$run
first=1
if [[ $resume ]]; then
    PROGMON_EPOCH=$("$progmon" takeover "$run") || exit
    frontier=$("$progmon" show "$run" --json | grep -o '"frontier":[0-9]*')
    first=$((${frontier#*:} + 1))
else
    printf '%s\n' "${texts[@]##*/}" | "$progmon" start "$run" --family "$family" --steps - >/dev/null || exit
    PROGMON_EPOCH=1
fi
export PROGMON_EPOCH
if [[ $stream ]]; then
    mkfifo "$out/.told.$$" "$out/.answers.$$"
    "$progmon" step - <"$out/.told.$$" >"$out/.answers.$$" &
    exec 3>"$out/.told.$$" 4<"$out/.answers.$$"
    rm "$out/.told.$$" "$out/.answers.$$"
fi

[[ $how != never ]] || rest_for_ever
for ((step = first; step <= total; step++)); do
    if [[ $how == recede ]]; then
        total=$((total + 2))
        say total "$total"
    fi
    work "$step"
done

for text in "${texts[@]##*/}"; do cat "$out/$text.part"; done >"$out/.part.$$"
mv "$out/.part.$$" "$out/result.tsv"
say finish --code 0
