package cursor

// ValidName reports whether s may be the id of a run or the name of a family:
// 1 to 64 of a-z 0-9 . _ - of which the first is a letter or a digit. Whatever
// may be a name is a safe file name on its own.
func ValidName(s string) bool {
	if len(s) < 1 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		letter := s[i] >= 'a' && s[i] <= 'z' || s[i] >= '0' && s[i] <= '9'
		if !letter && (i == 0 || s[i] != '.' && s[i] != '_' && s[i] != '-') {
			return false
		}
	}
	return true
}
