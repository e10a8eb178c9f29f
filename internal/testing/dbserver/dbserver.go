//go:build unix

// Package dbserver runs database servers for tests: Postgres and Redis as Debian has them, on a socket in a temporary
// folder, as an unprivileged user. A test can stop, kill and start them.
package dbserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// A Server is a database server of one test, or of all tests of a package.
type Server struct {
	Dir    string // has its data and its socket
	Socket string
	args   []string
	ready  func(*Server) bool
	cmd    *exec.Cmd
	exit   chan error
}

// Required is the variable of the environment that makes a missing server a failure. Without it, tests are skipped.
const Required = "GRAPHGEN_SERVERS"

// missing skips a test, or lets it fail.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv(Required) != "" {
		t.Fatalf("%s is missing; make servers installs it", what)
	}
	t.Skipf("%s is missing; make servers installs it", what)
}

// program finds a program in the path, or in the newest of Debian's packages of Postgres.
func program(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	return slices.Max(append(found, ""))
}

// Postgres starts a Postgres that writes to the disk as one in production does. With settings, name=value, it has others.
// The user is postgres. The caller closes the server.
func Postgres(t testing.TB, settings ...string) *Server {
	t.Helper()
	initdb, postgres := program("initdb"), program("postgres")
	if initdb == "" || postgres == "" {
		missing(t, "Postgres (Debian's package postgresql)")
	}
	s := folder(t, "gg-pg")
	data := filepath.Join(s.Dir, "data")
	cmd := s.command(initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	s.Socket = filepath.Join(s.Dir, ".s.PGSQL.5432")
	s.args = []string{postgres, "-D", data, "-k", s.Dir, "-c", "listen_addresses="}
	for _, setting := range settings {
		s.args = append(s.args, "-c", setting)
	}
	client := program("pg_isready")
	s.ready = func(s *Server) bool { return exec.Command(client, "-q", "-h", s.Dir).Run() == nil }
	s.begin(t)
	return s
}

// Redis starts a Redis that syncs its log at each write. With settings, name and value, it has others. The
// caller closes the server.
func Redis(t testing.TB, settings ...string) *Server {
	t.Helper()
	server, client := program("redis-server"), program("redis-cli")
	if server == "" || client == "" {
		missing(t, "Redis (Debian's package redis-server)")
	}
	s := folder(t, "gg-redis")
	s.Socket = filepath.Join(s.Dir, "socket")
	s.args = []string{server, "--port", "0", "--unixsocket", s.Socket, "--unixsocketperm", "777", "--dir", s.Dir, "--save", "",
		"--appendonly", "yes", "--appendfsync", "always"}
	for i := 0; i+1 < len(settings); i += 2 {
		s.args = append(s.args, "--"+settings[i], settings[i+1])
	}
	s.ready = func(s *Server) bool {
		out, err := exec.Command(client, "-s", s.Socket, "ping").Output()
		return err == nil && string(out) == "PONG\n"
	}
	s.begin(t)
	return s
}

// folder makes a folder that the user of the servers owns.
func folder(t testing.TB, name string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", name)
	if err != nil {
		t.Fatal(err)
	}
	if c := credential(); c != nil {
		if err := errors.Join(os.Chmod(dir, 0o755), os.Chown(dir, int(c.Uid), int(c.Gid))); err != nil {
			t.Fatal(err)
		}
	}
	return &Server{Dir: dir}
}

// credential returns the user nobody for a test that runs as root: no server has to have its rights.
func credential() *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		return nil
	}
	uid, _ := strconv.ParseUint(u.Uid, 10, 32)
	gid, _ := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// command returns a command that runs as the user of the servers, and ends with the test where the system can do that.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = s.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential()}
	if f := reflect.ValueOf(cmd.SysProcAttr).Elem().FieldByName("Pdeathsig"); f.IsValid() { // on Linux
		f.SetInt(int64(syscall.SIGKILL))
	}
	return cmd
}

// begin starts the server, and ends the test if that fails.
func (s *Server) begin(t testing.TB) {
	t.Helper()
	if err := s.Start(); err != nil {
		s.Close()
		t.Fatal(err)
	}
}

// Start starts the server, and waits until it is ready.
func (s *Server) Start() error {
	log, err := os.OpenFile(filepath.Join(s.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd = s.command(s.args[0], s.args[1:]...)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	exit := make(chan error, 1)
	s.exit = exit
	go func(cmd *exec.Cmd) { exit <- cmd.Wait() }(s.cmd)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for !s.ready(s) {
		select {
		case err := <-exit:
			exit <- err
			text, _ := os.ReadFile(log.Name())
			return fmt.Errorf("%s ended: %v\n%s", s.args[0], err, text)
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready after five minutes", s.args[0])
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// Signal sends a signal to the server. After one that ends it, Wait has to be called before Start.
func (s *Server) Signal(signal syscall.Signal) error { return s.cmd.Process.Signal(signal) }

// Wait waits until the server has ended.
func (s *Server) Wait() {
	err := <-s.exit
	s.exit <- err
}

// Kill ends the server without warning. Postgres is ended by SIGQUIT, which it takes for a crash, so that no process of it
// remains.
func (s *Server) Kill() {
	signal := syscall.SIGKILL
	if filepath.Base(s.args[0]) == "postgres" {
		signal = syscall.SIGQUIT
	}
	_ = s.Signal(signal)
	s.Wait()
}

// Close kills the server, and removes its folder.
func (s *Server) Close() {
	if s.exit != nil {
		s.Kill()
	}
	_ = os.RemoveAll(s.Dir)
}
