package rundir

import "fmt"

// maxTask is the most bytes of task.md.
const maxTask = 16 << 20

// WriteTask keeps what was asked for. More than 16 MiB is refused.
func (d *Dir) WriteTask(task []byte) error {
	if len(task) > maxTask {
		return fmt.Errorf("write %s: %w: %d bytes are more than %d", d.File(TaskFile), ErrCannotCreate, len(task), maxTask)
	}
	return d.put(TaskFile, task)
}
