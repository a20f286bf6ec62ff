package store

import "golang.org/x/sys/unix"

// localFS names the local file systems that are common.
func localFS(path string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return ""
	}
	switch uint32(s.Type) {
	case 0xEF53:
		return "ext2, ext3 or ext4"
	case 0x58465342:
		return "xfs"
	case 0x9123683E:
		return "btrfs"
	case 0x2FC12FC1:
		return "zfs"
	case 0x01021994:
		return "tmpfs"
	case 0x858458F6:
		return "ramfs"
	case 0x794C7630:
		return "overlayfs"
	case 0xF2F52010:
		return "f2fs"
	case 0xCA451A4E:
		return "bcachefs"
	}
	return ""
}
