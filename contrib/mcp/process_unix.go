//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup has the process lead a group of its own, which what it starts belongs to.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks the group to end.
func terminate(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// kill ends the group. The system does not reuse the number of an ended group while it has
// others left, so a kill right after the end hits no other group.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
