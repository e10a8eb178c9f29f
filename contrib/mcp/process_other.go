//go:build !unix

package mcp

import "os/exec"

// Without groups of processes, what a server has started outlives it.
func ownGroup(*exec.Cmd) {}

func terminate(*exec.Cmd) {}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
