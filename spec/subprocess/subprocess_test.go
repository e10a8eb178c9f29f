//go:build unix

package subprocess_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/graphgen/graphgen/spec/subprocess"
)

// A command runs until it is ended. What it has started has the pipe, which ends with the last of them.
type command struct {
	t     *testing.T
	pipe  *bufio.Reader
	ended chan error
}

// start starts a shell script, which has to write a line once it is ready.
func start(t *testing.T, ctx context.Context, script string) *command {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { read.Close() })
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Stdout = write
	c := &command{t: t, pipe: bufio.NewReader(read), ended: make(chan error, 1)}
	go func() {
		err := subprocess.Run(ctx, cmd)
		write.Close()
		c.ended <- err
	}()
	if _, err := c.pipe.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return c
}

// end waits until the command and what it has started have ended.
func (c *command) end() error {
	c.t.Helper()
	err := <-c.ended
	if _, err := io.ReadAll(c.pipe); err != nil {
		c.t.Error(err)
	}
	return err
}

func TestRun(t *testing.T) {
	for name, script := range map[string]string{
		"a command that heeds the signal":              "echo ready; exec sleep 1000",
		"one that has started others":                  "sleep 1000 & sleep 1000 & echo ready; wait",
		"one that does not heed it":                    "trap '' INT; sleep 1000 & echo ready; wait; wait",
		"one that starts another when it is to end":    "trap 'sleep 1000 & exit' INT; sleep 1000 & echo ready; wait",
		"one that ends by itself, and leaves one more": "sleep 1000 & echo ready; exit 3",
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := start(t, ctx, script)
			if name != "one that ends by itself, and leaves one more" {
				cancel()
			}
			if c.end() == nil {
				t.Error("there is no error")
			}
		})
	}
}

func TestSet(t *testing.T) {
	var s subprocess.Set
	ctx := s.Context(t.Context())
	list := []*command{
		start(t, ctx, "trap '' INT TERM; sleep 1000 & echo ready; wait; wait"),
		start(t, ctx, "echo ready; exec sleep 1000"),
	}
	s.Kill()
	for _, c := range list {
		if c.end() == nil {
			t.Error("there is no error")
		}
	}
	if err := subprocess.Run(ctx, exec.CommandContext(ctx, "true")); err == nil {
		t.Error("a command is started after Kill")
	}
}
