package judges_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/gen/tsclient"
	"github.com/graphgen/graphgen/internal/api"
	"github.com/graphgen/graphgen/thread"
)

// A cutting server ends each of the first streams after two saved steps.
type cutting struct {
	http.Handler
	cuts atomic.Int64
}

func (c *cutting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/events") || r.Header.Get("Accept") == "text/event-stream" {
		if c.cuts.Add(-1) >= 0 {
			w = &cut{ResponseWriter: w, left: 2}
		}
	}
	c.Handler.ServeHTTP(w, r)
}

type cut struct {
	http.ResponseWriter
	left int
}

func (c *cut) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *cut) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("event: step")) {
		if c.left--; c.left < 0 {
			panic(http.ErrAbortHandler)
		}
	}
	return c.ResponseWriter.Write(b)
}

// TestClient compiles the client that graphgen writes, and uses it with a server that cuts its streams. It needs node and npm, and JUDGES=1.
func TestClient(t *testing.T) {
	if os.Getenv("JUDGES") == "" {
		t.Skip("make judges runs the clients")
	}
	folder := installed(t)
	w, err := newWorld(thread.NewMemory(), false, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &cutting{Handler: w}
	c.cuts.Store(2)
	server := httptest.NewServer(c)
	defer server.Close()
	described := func(text string) *api.Description {
		d, err := api.Describe(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	source, err := tsclient.Client([]api.Graph{
		{Name: "orders", Durable: true, Description: described(new(servetest.Order).Describe())}, {Name: "greetings"},
	})
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(folder, "client") // beside the packages
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile("../../../gen/tsclient/testdata/types.ts")
	if err != nil {
		t.Fatal(err)
	}
	use, err := os.ReadFile("client.ts")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(source), "export type DurableGraph")
	for name, text := range map[string]string{
		"generated.ts": string(source), "client.ts": string(use), "types.ts": string(golden) + "export type DurableGraph" + rest,
		"package.json": `{"type": "module"}`,
		"tsconfig.json": `{"files": ["generated.ts", "client.ts", "types.ts"], "compilerOptions": {"strict": true, "noUncheckedIndexedAccess": true,
			"exactOptionalPropertyTypes": true, "target": "es2022", "module": "nodenext", "types": ["node"],
			"lib": ["es2023", "dom", "dom.iterable", "dom.asynciterable"]}}`,
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "node", "../node_modules/typescript/bin/tsc")
	cmd.Dir = at
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	judge(t, folder, "client/client.js", server.URL)
	if c.cuts.Load() >= 0 {
		t.Errorf("%d streams were not cut", c.cuts.Load())
	}
}
