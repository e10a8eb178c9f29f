package dbserver

import "syscall"

// attributes lets a server end with the test, and run as another user.
func attributes(c *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: c, Pdeathsig: syscall.SIGKILL}
}
