package mcp_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/contrib/mcp"
	"github.com/graphgen/graphgen/runtime/chat"
)

// TestStart holds that a declared program gets the variables that it needs and no others, of alternatives the first that is
// set, that its tools begin with its name, and that no result has a value.
func TestStart(t *testing.T) {
	t.Setenv("MCP_SECOND", "the-second-token")
	t.Setenv("MCP_OTHER", "the-other-token")
	t.Setenv("MCP_UNASKED", "the-unasked-token")
	servers, err := mcp.Start([]chat.Server{{Name: "files", Command: []string{program}, Env: [][]string{{"MCP_FIRST", "MCP_SECOND"}, {"MCP_OTHER"}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = servers.Close() })
	if !servers.Serves("files") || servers.Serves("other") {
		t.Error("it serves other servers than files")
	}
	result, err := call(t.Context(), t, servers, "files_environment", `{"text":"MCP_SECOND"}`)
	if err != nil || strings.Contains(result.Text, "the-") || strings.HasPrefix(result.Text, " of") {
		t.Errorf("the program has %q, %v", result.Text, err)
	}
	for name, want := range map[string]bool{"MCP_SECOND": true, "MCP_OTHER": true, "MCP_FIRST": false, "MCP_UNASKED": false} {
		if strings.Contains(result.Text[strings.Index(result.Text, " of "):], name) != want {
			t.Errorf("the program has %s: %v, in %q", name, !want, result.Text)
		}
	}
}

// TestStartNeedsItsEnvironment holds that variables that are not set, or empty, are an error that names all of them, before a
// program is started.
func TestStartNeedsItsEnvironment(t *testing.T) {
	t.Setenv("MCP_EMPTY", "")
	started := filepath.Join(t.TempDir(), "started")
	_, err := mcp.Start([]chat.Server{
		{Name: "files", Command: []string{"touch", started}, Env: [][]string{{"MCP_ABSENT", "MCP_EMPTY"}, {"PATH"}}},
		{Name: "issues", URL: "https://mcp.example.com/v1", Bearer: []string{"MCP_TOKEN"}},
	})
	var missing *mcp.EnvironmentError
	if !errors.As(err, &missing) || fmt.Sprint(missing.Missing) != "[{files [MCP_ABSENT MCP_EMPTY]} {issues [MCP_TOKEN]}]" {
		t.Fatalf("the error is %v", err)
	}
	if want := "mcp: the environment lacks variables: server files needs MCP_ABSENT or MCP_EMPTY; server issues needs MCP_TOKEN"; err.Error() != want {
		t.Errorf("the error is %q", err)
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("a program was started")
	}
}

// TestStartSendsTheToken holds that a server over HTTP gets the token of its variable.
func TestStartSendsTheToken(t *testing.T) {
	t.Setenv("MCP_TOKEN", "a-long-token")
	r := listen(t, "127.0.0.1:0")
	servers, err := mcp.Start([]chat.Server{{Name: "remote", URL: "http://" + r.addr, Bearer: []string{"MCP_TOKEN"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = servers.Close() })
	result, err := call(t.Context(), t, servers, "remote_echo", `{"text":"a-long-token"}`)
	if err != nil || strings.Contains(result.Text, "a-long-token") {
		t.Errorf("the result is %q, %v", result.Text, err)
	}
	if _, err := mcp.Start([]chat.Server{{Name: "remote", URL: "mailto:a@example.com"}}); err == nil {
		t.Error("an address without a host is taken")
	}
}
