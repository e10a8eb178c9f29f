package main

import (
	"os"
	"syscall"
)

// peak returns the memory of the largest of a process and those that it waited for, in MB.
func peak(state *os.ProcessState) (float64, bool) {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	return float64(usage.Maxrss) * 1024 / 1e6, true
}
