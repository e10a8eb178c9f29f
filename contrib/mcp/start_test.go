package mcp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/mcp"
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

// TestStartSendsTheToken holds that each request to a server over HTTP has the token of its variable, the first of the
// alternatives that is set, and that no result has it.
func TestStartSendsTheToken(t *testing.T) {
	t.Setenv("MCP_TOKEN", "a-long-token")
	t.Setenv("MCP_SECOND", "the-second-token")
	r := listen(t, "127.0.0.1:0")
	behind := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: r.addr})
	var requests atomic.Int64
	wire := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if got := r.Header["Authorization"]; len(got) != 1 || got[0] != "Bearer a-long-token" {
			t.Errorf("the request %s %s has Authorization %q", r.Method, r.URL, got)
		}
		behind.ServeHTTP(w, r)
	}))
	t.Cleanup(wire.Close)
	servers, err := mcp.Start([]chat.Server{{Name: "remote", URL: wire.URL, Bearer: []string{"MCP_ABSENT", "MCP_TOKEN", "MCP_SECOND"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = servers.Close() })
	result, err := call(t.Context(), t, servers, "remote_echo", `{"text":"a-long-token"}`)
	if err != nil || strings.Contains(result.Text, "a-long-token") {
		t.Errorf("the result is %q, %v", result.Text, err)
	}
	if requests.Load() < 3 { // to initialize, to list the tools, and to call one
		t.Errorf("there were %d requests", requests.Load())
	}
	if _, err := mcp.Start([]chat.Server{{Name: "remote", URL: "mailto:a@example.com"}}); err == nil {
		t.Error("an address without a host is taken")
	}
}

// TestDeclaredSecretsAreInNoError holds that the values of variables are in no error and in nothing that a server observes,
// whatever it sends back: a program that writes its environment and ends, and an address that repeats the token.
func TestDeclaredSecretsAreInNoError(t *testing.T) {
	t.Setenv("MCP_TOKEN", "a-verysecret-token")
	t.Setenv("MCP_OTHER", "another-verysecret-token")
	repeats := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ ID json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"wrong token: %s"}}`, request.ID, r.Header.Get("Authorization"))
	}))
	t.Cleanup(repeats.Close)
	for _, tt := range []struct {
		server chat.Server
		shows  string // that what has the secret is part of the error
	}{
		{chat.Server{Name: "issues", URL: repeats.URL, Bearer: []string{"MCP_TOKEN"}}, "wrong token: Bearer [redacted]"},
		{chat.Server{Name: "files", Command: []string{"/bin/sh", "-c", `echo "no user $MCP_TOKEN of $MCP_OTHER" >&2; exit 1`},
			Env: [][]string{{"MCP_TOKEN"}, {"MCP_OTHER"}}}, "no user [redacted] of [redacted]"},
	} {
		t.Run(tt.server.Name, func(t *testing.T) {
			watched := &log{}
			servers, err := mcp.Start([]chat.Server{tt.server}, mcp.WithClock(atOnce()), mcp.Watch(watched))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = servers.Close() })
			_, err = servers.Tools(t.Context())
			if err == nil || !strings.Contains(err.Error(), tt.shows) {
				t.Errorf("the error is %v", err)
			}
			if observed := fmt.Sprint(watched.lines, watched.last); strings.Contains(observed, "verysecret") {
				t.Errorf("observed is %s", observed)
			}
			for e := err; e != nil; e = errors.Unwrap(e) {
				if strings.Contains(fmt.Sprintf("%+v %#v", e, e), "verysecret") {
					t.Errorf("within the error is %+v", e)
				}
			}
		})
	}
}
