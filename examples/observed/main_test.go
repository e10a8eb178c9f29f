package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/contrib/mcp"
	graphotel "github.com/graphgen/graphgen/contrib/otel"
)

// The observer of contrib/otel watches the servers of contrib/mcp, which do not import each other.
var _ mcp.Watcher = (*graphotel.MCP)(nil)

// TestShow holds that the span trees, the summaries and the log of the runs are there.
func TestShow(t *testing.T) {
	var out, logs bytes.Buffer
	if err := observe(t.Context(), "", time.Second, &out, &logs); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"invoke_workflow librarian ", "\n  invoke_node answer ", "\n    chat ", "\n    execute_tool ", "invoke_workflow fallback ", "\n    * retry ",
		"graph librarian, run ", "graph fallback, run ", "failures:\n  step 2, fetch, attempt ", "recovered: source is locked",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, out.String())
		}
	}
	for _, want := range []string{"level=WARN msg=retry", "node=fetch", "graph=librarian"} {
		if !strings.Contains(logs.String(), want) {
			t.Errorf("there is no %q in\n%s", want, logs.String())
		}
	}
}

// varied matches what differs from run to run: an ID, a time of the clock, how long something took with the spaces before it.
var varied = regexp.MustCompile(`\b[0-9a-z]{24}\b|time=\S+ |\s*\b[0-9.]+(?:µs|ms|s)\b`)

// apart matches what is between columns: the titles of times are as far from others as the times are long.
var apart = regexp.MustCompile(` {2,}`)

// same returns what every run prints of a text.
func same(text string) string {
	return apart.ReplaceAllString(varied.ReplaceAllString(text, "-"), "  ")
}

// TestGuide holds that the lines of output in docs/guides/look-at-a-run.md are among the lines of the example, in their order.
func TestGuide(t *testing.T) {
	var out, logs bytes.Buffer
	if err := observe(t.Context(), "", time.Second, &out, &logs); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/guides/look-at-a-run.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`(?m)^    (?:graph|level|invoke).*\n(?:(?:    .*)?\n)*`).FindAllString(string(page), -1)
	if len(blocks) != 3 {
		t.Fatalf("the page has %d blocks of output", len(blocks))
	}
	for _, block := range blocks {
		rest := same("\n" + out.String() + "\n" + logs.String())
		for line := range strings.Lines(block) {
			line = same(strings.TrimPrefix(line, "    "))
			_, after, ok := strings.Cut(rest, line)
			if !ok {
				t.Fatalf("the example does not print %q, after what the page shows before it, in\n%s%s", line, &out, &logs)
			}
			rest = after
		}
	}
}

// TestDashboardHasData holds that each metric and label that the dashboard asks for is served, except of calls that fail.
func TestDashboardHasData(t *testing.T) {
	d, err := newDesk(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	if err := d.round(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	d.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	served := w.Body.String()
	text, err := os.ReadFile("../../contrib/otel/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			for _, name := range regexp.MustCompile(`\b(?:graphgen|gen_ai)_\w+`).FindAllString(target.Expr, -1) {
				if asked++; !regexp.MustCompile(`(?m)(^|[{,])` + name + `[{=]`).MatchString(served) {
					t.Errorf("%s asks for %s, which is not served:\n%s", panel.Title, name, served)
				}
			}
		}
	}
	if asked < 20 {
		t.Errorf("the dashboard asks for %d names", asked)
	}
}

// TestListen holds that runs are made, and their metrics are served, until the context ends.
func TestListen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- observe(ctx, "127.0.0.1:0", time.Millisecond, w, io.Discard) }()
	line := make([]byte, 200)
	n, err := r.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	_, address, _ := strings.Cut(strings.TrimSpace(string(line[:n])), "metrics are at ")
	said, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer said.Body.Close()
	if said.StatusCode != http.StatusOK {
		t.Errorf("the status is %s", said.Status)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
