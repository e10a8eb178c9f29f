//go:build !unix

package subprocess

import "os/exec"

// group does nothing: the command is killed when its context ends.
func group(*exec.Cmd) {}

// kill kills a command.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
