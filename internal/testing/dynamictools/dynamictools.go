// Package dynamictools tests what a request of a provider has of tools that are known at run time alone: those that a toolbox
// gives to a run, and those of a node that a model adds.
package dynamictools

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/injecttools"
	"github.com/graphgen/graphgen/golden/mutationmodel"
)

// A Provider is what the tests have to know of a provider.
type Provider struct {
	New    func(url string, client *http.Client) (chat.Model, error)
	Answer func(text string) string // the body of an answer; the text is escaped for a JSON string

	// Tools returns the tools of the body of a request.
	Tools func(body []byte) ([]Tool, error)
}

// A Tool is a tool in a request.
type Tool struct {
	Name, Doc string
	Schema    json.RawMessage
}

const (
	searchSchema = `{"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false}`
	ticketSchema = `{"type":"object","properties":{
		"title":{"type":"string","description":"One line."},
		"kind":{"type":"string","enum":["bug","wish"]},
		"place":{"type":"object","properties":{"file":{"type":"string"},"line":{"type":"integer"}},"required":["file"]},
		"labels":{"type":"array","items":{"type":"string","enum":["a","b"]}}
	},"required":["title","kind","place"]}`
)

// badSchemas are no schemas of arguments.
var badSchemas = []string{`{"type":"object"`, `[]`, `"object"`, `3`, `{"type":"array","items":{"type":"string"}}`, `{"type":"string"}`}

// Test tests a provider.
func Test(t *testing.T, p *Provider) {
	t.Run("injected", func(t *testing.T) {
		s := start(t, p, "done")
		if err := s.inject(tool{Name: "open_ticket", Doc: "Opens a ticket.", Schema: ticketSchema}, tool{Name: "now"}); err != nil {
			t.Fatal(err)
		}
		s.holds(0, Tool{"search", "Search the web.", json.RawMessage(searchSchema)},
			Tool{"open_ticket", "Opens a ticket.", json.RawMessage(ticketSchema)}, Tool{Name: "now"})
		s.holds(1) // the other node has none
	})
	t.Run("refused", func(t *testing.T) {
		for _, schema := range badSchemas {
			s := start(t, p, "done")
			err := s.inject(tool{Name: "open_ticket", Schema: schema})
			if e := (*chat.ModelError)(nil); !errors.As(err, &e) || e.Kind != chat.BadRequest || !strings.Contains(err.Error(), "open_ticket") ||
				!strings.Contains(err.Error(), "schema") {
				t.Errorf("the schema %s gives: %v", schema, err)
			}
			if len(s.bodies) > 0 {
				t.Errorf("the schema %s was sent", schema)
			}
		}
	})
	t.Run("added", func(t *testing.T) {
		s := start(t, p,
			`{"text": "a", "_graph_action": "add_node", "_node_config": {"name": "look_up", "kind": "prompt", "instructions": `+
				`"Look it up.", "writes": "facts", "tools": ["search"], "after": "plan"}}`, "found")
		m, err := mutationmodel.NewMutationmodel(handlers{}, handlers{}, s.model())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = m.Run(t.Context(), mutationmodel.MutationmodelInput{Topic: "otters"}) // what comes behind the added node is no matter here
		if len(s.bodies) < 2 || !strings.Contains(s.bodies[1], "Look it up.") {
			t.Fatalf("the added node was not asked: %s", s.bodies)
		}
		s.holds(1, Tool{"search", "Search the web.", json.RawMessage(searchSchema)})
	})
}

// A server answers with texts, the last of which repeats.
type server struct {
	*httptest.Server
	t        *testing.T
	provider *Provider
	answers  []string

	mu     sync.Mutex
	bodies []string
}

func start(t *testing.T, p *Provider, answers ...string) *server {
	s := &server{t: t, provider: p, answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	s.mu.Lock()
	answer := s.answers[min(len(s.bodies), len(s.answers)-1)]
	s.bodies = append(s.bodies, string(body))
	s.mu.Unlock()
	quoted := strconv.Quote(answer)
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, s.provider.Answer(quoted[1:len(quoted)-1]))
}

func (s *server) model() chat.Model {
	m, err := s.provider.New(s.URL, s.Client())
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

// inject runs a graph with a toolbox.
func (s *server) inject(box ...chat.Tool) error {
	m, err := injecttools.NewInjectTools(searcher{}, s.model(), graphgen.WithToolbox(chat.Tools(box)))
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = m.Run(s.t.Context(), injecttools.InjectToolsInput{})
	return err
}

// holds reports whether a request has these tools, in their order.
func (s *server) holds(request int, want ...Tool) {
	s.t.Helper()
	if len(s.bodies) <= request {
		s.t.Fatalf("there is no request %d", request)
	}
	got, err := s.provider.Tools([]byte(s.bodies[request]))
	if err != nil || len(got) != len(want) {
		s.t.Fatalf("%v: request %d has %d tools, want %d:\n%s", err, request, len(got), len(want), s.bodies[request])
	}
	for i, tool := range want {
		if got[i].Name != tool.Name || got[i].Doc != tool.Doc || tool.Schema != nil && !equal(got[i].Schema, tool.Schema) {
			s.t.Errorf("request %d has the tool %s (%q): %s\nwant %s (%q): %s", request, got[i].Name, got[i].Doc, got[i].Schema,
				tool.Name, tool.Doc, tool.Schema)
		}
	}
}

// equal reports whether two schemas say the same about values.
func equal(a, b []byte) bool {
	var x, y map[string]any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	delete(x, "$schema")
	delete(x, "title")
	return reflect.DeepEqual(x, y)
}

type tool chat.ToolSpec

func (t tool) Spec() chat.ToolSpec { return chat.ToolSpec(t) }

func (t tool) Call(context.Context, string) (chat.ToolResult, error) {
	return chat.ToolResult{Text: "done"}, nil
}

type searcher struct{}

func (searcher) Search(context.Context, injecttools.InjectToolsSearchArgs) (string, error) {
	return "", nil
}

type handlers struct{}

func (handlers) Search(context.Context, mutationmodel.MutationmodelSearchArgs) (string, error) {
	return "", nil
}

func (handlers) Pay(context.Context, mutationmodel.MutationmodelPayArgs) (string, error) {
	return "", nil
}

func (handlers) Gather(context.Context, mutationmodel.MutationmodelGatherIn) (out mutationmodel.MutationmodelGatherOut, err error) {
	return out, nil
}

func (handlers) Publish(mutationmodel.MutationmodelPublishIn) (out mutationmodel.MutationmodelPublishOut, err error) {
	return out, nil
}
