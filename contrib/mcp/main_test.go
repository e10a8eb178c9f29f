package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/mcp"
)

// program is the test server, as TestMain built it.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "testserver")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "testserver")
	if out, err := exec.Command("go", "build", "-o", program, "./testserver").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, out))
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// command returns a server over the standard streams, closed with the test.
func command(t *testing.T, opts ...mcp.CommandOption) *mcp.Server {
	t.Helper()
	return commandOf(t, nil, opts...)
}

func commandOf(t *testing.T, args []string, opts ...mcp.CommandOption) *mcp.Server {
	t.Helper()
	s, err := mcp.Command(append([]string{program}, args...), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// A remote is a test server that is a process and listens on a port.
type remote struct {
	cmd    *exec.Cmd
	addr   string
	stderr *watched
}

// listen starts one on a port of its own, or on one that is given.
func listen(t *testing.T, addr string, args ...string) *remote {
	t.Helper()
	r := &remote{stderr: newWatched()}
	r.cmd = exec.Command(program, append([]string{"-http", addr}, args...)...)
	r.cmd.Stderr = r.stderr
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	r.addr = strings.TrimSpace(line)
	return r
}

func (r *remote) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

// connect returns a server that is reached at the process, closed with the test.
func (r *remote) connect(t *testing.T, opts ...mcp.HTTPOption) *mcp.Server {
	t.Helper()
	s, err := mcp.HTTP("http://"+r.addr, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// watched is a writer that can be waited on for a line.
type watched struct {
	w     *io.PipeWriter
	lines chan string
}

func newWatched() *watched {
	r, w := io.Pipe()
	lines := make(chan string, 1000)
	go func() {
		for s := bufio.NewScanner(r); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return &watched{w, lines}
}

func (w *watched) Write(p []byte) (int, error) { return w.w.Write(p) }

// until waits for a line, and returns those before it.
func (w *watched) until(t *testing.T, line string) []string {
	t.Helper()
	var before []string
	for {
		select {
		case l := <-w.lines:
			if l == line {
				return before
			}
			before = append(before, l)
		case <-t.Context().Done():
			t.Fatalf("%q was never written, but %q", line, before)
		}
	}
}

// call calls a tool by name.
func call(ctx context.Context, t *testing.T, box chat.Toolbox, name, arguments string) (chat.ToolResult, error) {
	t.Helper()
	return find(t, box, name).Call(ctx, arguments)
}

func find(t *testing.T, box chat.Toolbox, name string) chat.Tool {
	t.Helper()
	tools, err := box.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		if tool.Spec().Name == name {
			return tool
		}
	}
	t.Fatalf("there is no tool %q", name)
	return nil
}

// answers fails the test unless the tool echo answers.
func answers(t *testing.T, box chat.Toolbox) {
	t.Helper()
	result, err := call(t.Context(), t, box, "echo", `{"text":"still here"}`)
	if err != nil || result.Text != "still here" {
		t.Fatalf("echo says %q, %v", result.Text, err)
	}
}

func names(t *testing.T, box chat.Toolbox) []string {
	t.Helper()
	tools, err := box.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Spec().Name)
	}
	return names
}
