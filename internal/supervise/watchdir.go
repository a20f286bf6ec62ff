package supervise

// someoneAsks tells the loop that somebody may have asked for something.
func (w *Wrapper) someoneAsks() {
	select {
	case w.asks <- struct{}{}:
	default:
	}
}
