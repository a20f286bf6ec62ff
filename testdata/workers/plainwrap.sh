#!/bin/sh
# A wrapper in plain shell, for a machine without progmon: it runs a command
# and leaves in DIR what progmon can read.
#
#     plainwrap.sh DIR CMD [ARG...]
#
#     DIR/worker.pid    the number of this script, while it runs
#     DIR/worker.log    what the command said
#     DIR/worker.exit   its exit code, in one piece, when it is over
set -u
if [ $# -lt 2 ]; then
    echo 'usage: plainwrap.sh DIR CMD [ARG...]' >&2
    exit 64
fi
dir=$1
shift

# put FILE TEXT: whole or not at all.
put() {
    printf '%s\n' "$2" >"$dir/.$1.$$" && mv "$dir/.$1.$$" "$dir/$1"
}

mkdir -p "$dir" && rm -f "$dir/worker.exit" && put worker.pid $$ || exit 73
"$@" >>"$dir/worker.log" 2>&1 </dev/null
code=$?
put worker.exit "$code" || exit 73
exit "$code"
