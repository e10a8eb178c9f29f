//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// longSpec is a spec of as many nodes as fit, each with three ways: every verb takes seconds.
func longSpec() string {
	const nodes = 24_000
	var b strings.Builder
	b.WriteString("graph: g\nentry: l0\nstate: {n: int}\ninput: n\noutput: n\nlimits: {max_steps: 1000000}\nnodes:\n")
	for i := range nodes {
		fmt.Fprintf(&b, "  l%d: {reads: n, writes: n}\n", i)
	}
	b.WriteString("edges:\n")
	for i := range nodes {
		fmt.Fprintf(&b, "  - {from: l%d, branch: {x: l%d, y: l%d, z: end}}\n", i, (i+1)%nodes, (i*7+3)%nodes)
	}
	return b.String()
}

// A process is a graphgen that runs until it is signalled.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	ended chan error
}

func start(t *testing.T, dir string, env []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.CommandContext(t.Context(), "graphgen", args...), ended: make(chan error, 1)}
	p.cmd.Dir, p.cmd.Env = dir, append(os.Environ(), env...)
	p.cmd.WaitDelay = time.Second
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	return p
}

// until waits for something that the process does.
func (p *process) until(what string, done func() bool) {
	p.t.Helper()
	for late := time.Now().Add(time.Minute); !done(); {
		select {
		case err := <-p.ended:
			p.t.Fatalf("graphgen ended before %s: %v", what, err)
		default:
		}
		if time.Now().After(late) {
			p.t.Fatalf("graphgen runs for a minute without %s", what)
		}
	}
}

// computes reports whether the process has used that many hundredths of a second of processor time.
func (p *process) computes(hundredths int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return false
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')'):]))
	used, _ := strconv.Atoi(fields[12])
	return used >= hundredths
}

// signal ends the process, and checks its exit status.
func (p *process) signal(s syscall.Signal, want int) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
	select {
	case err := <-p.ended:
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != want {
			p.t.Errorf("%v: it ends with %v, want exit status %d", s, err, want)
		}
	case <-time.After(30 * time.Second): // a second, and what a busy machine needs
		p.cmd.Process.Kill()
		p.t.Errorf("%v does not end it", s)
	}
}

func listed(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestASignalEndsEveryVerbThatComputes(t *testing.T) {
	if testing.Short() {
		t.Skip("reads large specs")
	}
	text := longSpec()
	for i, args := range [][]string{
		{"generate", "-package", "g", "."}, {"check", "."}, {"check", "-bounds", "."}, {"check", "-diff", "-package", "g", "."}, {"test", "."},
		{"diagram", "."}, {"diagram", "-o", "g.mmd", "."}, {"expand", "g.graph.yaml"}, {"diff", "g.graph.yaml", "g.graph.yaml"}, {"-watch", "-package", "g", "."},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "g.graph.yaml", text)
			p := start(t, dir, nil, args...)
			p.until("it computes", func() bool { return p.computes(20) })
			if i%2 == 0 {
				p.signal(syscall.SIGINT, 130)
			} else {
				p.signal(syscall.SIGTERM, 143)
			}
			if got := listed(t, dir); got != "g.graph.yaml" {
				t.Errorf("it leaves %s", got)
			}
		})
	}
}

// A go command that hangs, and has started another that does not heed SIGINT, as a shell starts
// those in the background.
const hangingGo = "#!/bin/sh\nsleep 1000 &\necho $! >\"$STARTED.new\"\nmv \"$STARTED.new\" \"$STARTED\"\nwait\n"

func TestASignalEndsWhatTestHasStarted(t *testing.T) {
	for s, status := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(s.String(), func(t *testing.T) {
			dir, bin, temp := t.TempDir(), t.TempDir(), t.TempDir()
			write(t, dir, "a.graph.yaml", workSpec)
			write(t, dir, "a.scenarios.yaml", "graph: a.graph.yaml\nscenarios:\n  - name: works\n    script:\n      work: [{}]\n    expect: {path: [work], end: completed}\n")
			write(t, bin, "go", hangingGo)
			if err := os.Chmod(filepath.Join(bin, "go"), 0o777); err != nil {
				t.Fatal(err)
			}
			started := filepath.Join(bin, "started")
			p := start(t, dir, []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "TMPDIR=" + temp, "STARTED=" + started}, "test", ".")
			var pid int
			p.until("its go command runs", func() bool {
				text, _ := os.ReadFile(started)
				pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
				return pid > 0
			})
			p.signal(s, status)
			if got := listed(t, temp); got != "" {
				t.Errorf("it leaves %s", got)
			}
			if !gone(t.Context(), pid) {
				t.Errorf("what the go command has started runs on")
				syscall.Kill(pid, syscall.SIGKILL)
			}
		})
	}
}

// gone reports whether a process ends. One that was killed is there until its parent has seen it.
func gone(ctx context.Context, pid int) bool {
	for late := time.Now().Add(10 * time.Second); time.Now().Before(late) && ctx.Err() == nil; {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return true
		}
		if state := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])); len(state) > 0 && state[0] == "Z" {
			return true
		}
	}
	return false
}
