package store

import "golang.org/x/sys/unix"

// networkFS names the network file system under path, or is empty for a local
// one.
func networkFS(path string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return ""
	}
	switch name := unix.ByteSliceToString(s.Fstypename[:]); name {
	case "nfs", "smbfs", "afpfs", "webdav", "ftp", "macfuse", "osxfuse", "fusefs":
		return name
	}
	return ""
}
