package store

import "golang.org/x/sys/unix"

// networkFS names the network file system under path, or is empty for a local
// one. The write-ahead log needs memory shared between processes, which no
// network file system gives.
func networkFS(path string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return ""
	}
	switch uint32(s.Type) {
	case 0x6969:
		return "nfs"
	case 0x517B, 0xFF534D42, 0xFE534D42:
		return "smb"
	case 0x01021997:
		return "9p"
	case 0x65735546:
		return "fuse or virtiofs"
	case 0x5346414F, 0x6B414653:
		return "afs"
	case 0x00C36400:
		return "ceph"
	case 0x73757245:
		return "coda"
	case 0x564C:
		return "ncp"
	case 0x0BD00BD0:
		return "lustre"
	case 0x01161970:
		return "gfs2"
	case 0x7461636F:
		return "ocfs2"
	case 0x47504653:
		return "gpfs"
	case 0x19830326:
		return "beegfs"
	}
	return ""
}
