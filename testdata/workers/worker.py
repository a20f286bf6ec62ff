#!/usr/bin/env python3
"""A worker that counts the words of a directory of files, a step a file.

It is a stranger to progmon: Python's own sqlite3 module and SQL are all it
uses. What it does for its trail is in class Trail; everything else is its
work, and the ways in which it can be told to misbehave.

    worker.py --db trail.db --run words --corpus DIR --out DIR
"""

import argparse
import contextlib
import hashlib
import os
import pathlib
import sqlite3
import sys
import time


class Trail:
    """A run in a trail, held by one epoch."""

    def __init__(self, path, run):
        # mode=rw: a mistyped name is an error and makes no empty file. With
        # isolation_level None a statement outside BEGIN commits by itself.
        uri = pathlib.Path(path).absolute().as_uri() + "?mode=rw"
        self.db = sqlite3.connect(uri, uri=True, isolation_level=None)
        self.db.execute("PRAGMA busy_timeout = 10000")  # wait for other writers, ms
        self.db.execute("PRAGMA synchronous = FULL")  # a commit survives power loss
        self.db.execute("PRAGMA temp_store = MEMORY")  # no temporary file a step
        self.run, self.epoch = run, 1

    @contextlib.contextmanager
    def together(self):
        """Writes that become durable together, or not at all."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.db.execute("COMMIT")
        except BaseException:
            self.db.execute("ROLLBACK")
            raise

    def start(self, family, names):
        with self.together():
            self.db.execute("INSERT INTO run (id, family, total) VALUES (?, ?, ?)", (self.run, family, len(names)))
            self.db.executemany(
                "INSERT INTO step (run_id, pos, name) VALUES (?, ?, ?)",
                [(self.run, pos, name) for pos, name in enumerate(names, 1)],
            )

    def takeover(self):
        """Replace the worker that had the run; its writes are refused from now on."""
        sql = "UPDATE run SET epoch = epoch + 1 WHERE id = ? RETURNING epoch"
        rows = self.db.execute(sql, (self.run,)).fetchall()
        if not rows:
            raise LookupError(f"no such run: {self.run}")
        self.epoch = rows[0][0]

    def terminal(self):
        """The numbers of the steps that are over: leave those alone."""
        sql = "SELECT pos FROM step WHERE run_id = ? AND state IN ('done', 'skipped', 'cancelled')"
        return {pos for (pos,) in self.db.execute(sql, (self.run,))}

    def flip(self, pos, **to):
        """Change a step. When this returns, the change is durable."""
        to = {"epoch": self.epoch, **to}
        sql = f"UPDATE step SET {', '.join(f'{column} = ?' for column in to)} WHERE run_id = ? AND pos = ?"
        if self.db.execute(sql, (*to.values(), self.run, pos)).rowcount == 0:
            raise LookupError(f"run {self.run} has no step {pos}")

    def begin(self, pos, expect_ms=None):
        self.flip(pos, state="running", expect_ms=expect_ms)

    def done(self, pos):
        self.flip(pos, state="done")

    def fail(self, pos, note):
        self.flip(pos, state="failed", note=note)

    def mark(self, pos, amount, of):
        self.flip(pos, mark_amount=amount, mark_of=of)

    def tell(self, kind, **what):
        """Append an event that is not about a step."""
        what = {"run_id": self.run, "epoch": self.epoch, "kind": kind, **what}
        sql = f"INSERT INTO event ({', '.join(what)}) VALUES ({', '.join('?' for _ in what)})"
        self.db.execute(sql, tuple(what.values()))

    def hold(self, for_ms, reason):
        self.tell("hold", for_ms=for_ms, reason=reason)

    def resume(self):
        self.tell("resume")

    def grow(self, total, to):
        """Raise the total, and lay out the steps that are new. The bound stays closed."""
        with self.together():
            self.tell("run.total", total=to, open=0)
            self.db.executemany(
                "INSERT INTO step (run_id, pos, epoch) VALUES (?, ?, ?)",
                [(self.run, pos, self.epoch) for pos in range(total + 1, to + 1)],
            )

    def finish(self, code):
        self.tell("run.exited", code=code, who="worker")


class Worker:
    """Counts the files, and behaves as it is told."""

    def __init__(self, args):
        self.args = args
        self.how, _, k = args.behave.partition(":")
        self.k = int(k or 3)
        self.files = sorted(args.corpus.glob("*.txt"))[: args.files]
        self.trail = Trail(args.db, args.run)
        self.deadline = time.monotonic() + args.at_most

    def rest(self, seconds):
        """Sleep, and end the process when it has lived as long as it may."""
        left = self.deadline - time.monotonic()
        time.sleep(max(0, min(seconds, left)))
        if seconds >= left:
            print("worker.py: --at-most is over", file=sys.stderr)
            raise SystemExit(124)

    def file(self, pos):
        return self.files[(pos - 1) % len(self.files)]

    def count(self, pos):
        """The real work: read a file, and keep what was counted."""
        file = self.file(pos)
        text = file.read_bytes()
        row = [file.name, text.count(b"\n"), len(text.split()), len(text), hashlib.sha256(text).hexdigest()]
        self.write(file.name + ".part", "\t".join(map(str, row)) + "\n")

    def write(self, name, text):
        """Replace a file as a whole: half a result is never seen."""
        part = self.args.out / f".{name}.{os.getpid()}"
        part.write_text(text)
        part.replace(self.args.out / name)

    def work(self):
        trail, args = self.trail, self.args
        if args.resume:
            trail.takeover()
        else:
            trail.start(args.family, [file.name for file in self.files])
        finished, total, pos = trail.terminal(), len(self.files), 0
        if self.how == "never":
            self.rest(float("inf"))
        while pos < total:
            pos += 1
            if pos in finished:
                continue
            if self.how == "recede":
                trail.grow(total, total + 2)
                total += 2
            self.step(pos)
        names = [file.name for file in self.files]
        self.write("result.tsv", "".join((args.out / f"{name}.part").read_text() for name in names))
        trail.finish(0)
        return 0

    def step(self, pos):
        """Do one step, in the way that was asked of it."""
        trail, pace, pause = self.trail, self.args.pace, self.args.pause
        how = self.how if pos == self.k else "finish"
        if how == "hold":
            trail.hold(int(pause * 2000), "the export window is closed")
            self.rest(pause)
            trail.resume()
        trail.begin(pos, expect_ms=int(pause * 2000) if how == "budget" else None)
        if how == "quiet":
            self.rest(float("inf"))
        elif how in ("recover", "budget"):
            self.rest(pause)
        elif how == "marks":
            # Reading slowly, a line at a time: that is progress inside a step.
            of = self.file(pos).read_bytes().count(b"\n")
            for amount in range(1, of + 1):
                self.rest(pace)
                trail.mark(pos, amount, of)
        elif how == "crash":
            trail.finish(3)
            raise SystemExit(3)
        else:
            self.rest(pace)
        while how == "retry":
            trail.fail(pos, "the file is locked")
            trail.begin(pos)
            self.rest(pace)
        self.count(pos)
        trail.done(pos)


def duration(text):
    """Seconds out of 200ms, 12s, 5m, 1h."""
    for unit, size in (("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)):
        if text.endswith(unit):
            return float(text[: -len(unit)]) * size
    raise argparse.ArgumentTypeError(f"{text!r} is no duration: write it like 200ms, 12s or 5m")


def main():
    p = argparse.ArgumentParser(description="count the words of files, and leave a trail")
    p.add_argument("--db", default=os.environ.get("PROGMON_DB"), help="the trail, which must exist")
    p.add_argument("--run", default=os.environ.get("PROGMON_RUN", "words"))
    p.add_argument("--family", default="words")
    p.add_argument("--corpus", type=pathlib.Path, required=True, help="the files to count: *.txt")
    p.add_argument("--out", type=pathlib.Path, required=True, help="where result.tsv goes")
    p.add_argument("--files", type=int, help="only the first so many files")
    p.add_argument("--behave", default="finish", metavar="HOW[:K]",
                   help="finish, never, recede, or in step K: quiet, recover, retry, marks, hold, budget, crash")
    p.add_argument("--pace", type=duration, default=0.2, help="how long a file takes (or a line, with marks)")
    p.add_argument("--pause", type=duration, default=10, help="how long recover, hold and budget take")
    p.add_argument("--at-most", type=duration, default=600, help="how long the process lives at most")
    p.add_argument("--resume", action="store_true", help="take the run over and go on with it")
    args = p.parse_args()
    if not args.db:
        p.error("--db or PROGMON_DB names the trail")
    args.out.mkdir(parents=True, exist_ok=True)
    try:
        return Worker(args).work()
    except (sqlite3.Error, LookupError) as err:
        # A rule of the trail says no in a sentence. "fenced: …" means that
        # another worker has the run: stop, and write nothing more.
        print(f"worker.py: {err}", file=sys.stderr)
        return 77 if str(err).startswith("fenced: ") else 65


if __name__ == "__main__":
    sys.exit(main())
