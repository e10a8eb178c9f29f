//go:build unix && !solaris && !illumos && !aix

package temp

import (
	"os"
	"syscall"
)

// Hold locks a file until it is closed, or the process ends.
func Hold(file *os.File) { _ = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// free reports whether no process holds a file.
func free(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
