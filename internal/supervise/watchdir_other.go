//go:build !linux

package supervise

// watchDir: on this platform requests are heard at each heartbeat.
func (w *Wrapper) watchDir() (stop func()) { return func() {} }
