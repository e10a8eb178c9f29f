//go:build unix

package scenario

import (
	"context"
	"os/exec"
	"syscall"
)

// runGroup runs a command in a process group of its own. When the context ends, the group is
// interrupted, so that the go command removes its files. What is left of the group when the
// command has ended is killed: nothing that it started outlives it.
func runGroup(ctx context.Context, cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = grace
	if err := cmd.Start(); err != nil {
		return err
	}
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return cmd.Wait()
}
