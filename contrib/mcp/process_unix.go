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

// kill ends the group. The number of a group that has ended is not given to another for as
// long as the system has others left, so to kill one right after its end hits nobody.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
