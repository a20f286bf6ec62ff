// Package rundir keeps the files of a run that has a process: one directory,
// ROOT/ID, written by the wrapper and read by everybody else.
//
//	task.md            what was asked for, copied in
//	worker.cmd         argv, directory, environment: for a faithful respawn
//	worker.log         the command's own output, raw
//	worker.pid         who the command is, and who its wrapper is
//	worker.heartbeat   the wrapper's loop is scheduled; no more
//	worker.ping        the nudges
//	worker.wrapup
//	worker.stop        somebody asks for the end
//	worker.exit        how the newest epoch ended
//	worker.exit.N      how epoch N ended
//	worker.reserve     room on the disk for the last word
//	evidence-N/        what was seen before anything was touched
//
// # Writing
//
// A file that says something is written whole: to a temporary file, synced,
// closed, renamed, and the directory synced. When a method returns nil, its
// file survives kill -9 and power loss; a reader sees the old content or the
// new, never a part and never nothing. Every error of a close or a sync is an
// error, since on a full disk there is no other warning. The heartbeat, the log
// and the reserve are not durable.
//
// Directories are 0700 and files 0600. A directory that is a symbolic link, or
// that another user owns, is not written to.
//
// # Reading
//
// A shell script can keep such a directory too: worker.pid and worker.exit then
// hold a bare number each. Whatever is read is untrusted: only regular files,
// never through a symbolic link, never so that the reader could be kept
// waiting, and no more than a few KiB. A log is never searched for anything.
//
// Evidence says what a directory proves, in a fixed order: the exit record of
// the epoch; then whether the process is there; if it is not, the exit record
// again, because it may have been written in between, and a grace; and only
// then activity.
package rundir
