#!/bin/sh
# What a careful person finds out about a directory of plainwrap.sh by hand:
# the exit record first, then the process, then the record again, and only
# then how old the log is. One line a directory.
#
#     plainwatch.sh IDLE_SECONDS DIR...
set -u
idle=$1
shift

# ended: says how it ended, if there is a record.
ended() {
    [ -e worker.exit ] || [ -L worker.exit ] || return 1
    if [ ! -f worker.exit ] || [ -L worker.exit ]; then
        echo 'FAILED malformed'
        return
    fi
    [ -s worker.exit ] || return 1
    code=$(head -c 16 worker.exit | tr '\0' x | tr -d ' \r\n')
    case $code in
        '' | *[!0-9]* | ????*) echo 'FAILED malformed' ;;
        0 | 00 | 000) echo DONE ;;
        *) if [ "$code" -le 255 ]; then echo "FAILED $code"; else echo 'FAILED malformed'; fi ;;
    esac
}

# lives: a zombie is over, and so is a number that means nothing here.
lives() {
    kill -0 "$pid" 2>/dev/null || [ -d "/proc/$pid" ] || return 1
    case $(ps -o stat= -p "$pid") in Z* | '') return 1 ;; esac
}

look() {
    ended && return
    if [ ! -e worker.pid ]; then
        echo 'FAILED no-evidence'
        return
    fi
    pid=$(head -c 16 worker.pid)
    if ! lives; then
        ended && return
        sleep 0.2
        ended && return
        [ -e worker.exit ] && echo 'FAILED malformed' || echo 'FAILED vanished'
    elif [ ! -s worker.log ]; then
        echo 'RUNNING no log yet'
    elif [ $(($(date +%s) - $(stat -c %Y worker.log))) -ge "$idle" ]; then
        echo 'STALLED idle'
    else
        echo 'RUNNING'
    fi
}

for dir; do
    (cd "$dir" && printf '%s: %s\n' "${dir##*/}" "$(look)")
done
