// Package presence says whether a process is still there, for every caller by
// one function, Look.
//
// A number is not a process: it is given to a stranger as soon as its owner is
// gone. An Identity is a number with what makes it unique: the kernel's start
// time of the process, the boot it was counted in, the pid namespace that the
// number belongs to, and the machine. psutil and systemd's PidRef tell
// processes apart in the same way.
//
//	same boot, same namespace,
//	  start time equal            alive, or stopped by a signal
//	  start time equal, a zombie  gone: it is over, nobody has read its status
//	  start time differs          gone: the number was given on
//	  no such number              gone
//	  cannot be seen              unknown, unless the kernel says ESRCH
//	another boot, same machine    gone
//	another machine or namespace  unknown
//
// To be refused is not to find nothing: a signal that is not permitted proves
// only that the number is in use, and /proc may hide other users' processes
// (hidepid). Unknown is never Gone.
//
// Linux tells all of this. macOS tells start time and boot but has no machine
// id here, so a process of an earlier boot is unknown. Everywhere else all is
// unknown.
package presence
