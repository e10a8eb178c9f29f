package threads

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/thread"
)

type resumeVerb struct {
	Store   string `arg:"" help:"The URL of the store, such as file:threads."`
	Thread  string `arg:"" help:"The name of the thread."`
	Answer  string `arg:"" help:"The answer, as JSON."`
	Request string `placeholder:"ID" help:"The request, if several are open."`
	Package string `default:"example.com/agent" placeholder:"PATH" help:"The import path of the package with the graph."`
}

func (resumeVerb) Help() string {
	return `After an answer, the code of the graph has to run, which this command does not have. So it checks that the thread waits for
such an answer, and prints a Go program that passes it on. Put your handlers into the program, and run it in a folder of
the module that has the graph.

Examples:

  graphgen threads resume file:threads letter-7 '"approve"'
  graphgen threads resume -package example.com/letters -request check.1 file:threads letter-7 '"approve"' > resume/main.go
`
}

// Run prints the program that answers a request.
func (v *resumeVerb) Run(ctx context.Context, c *Command) error {
	return c.with(ctx, v.Store, func(s thread.Store) error {
		h, _, err := s.Load(ctx, v.Thread, 0)
		if err != nil {
			return err
		}
		q, err := v.request(&h)
		if err != nil {
			return err
		}
		if err := v.fits(q); err != nil {
			return err
		}
		return resumption.Execute(c.Data, v.program(&h, q))
	})
}

// request returns the request to answer.
func (v *resumeVerb) request(h *thread.Head) (*graphgen.Request, error) {
	t, err := durable.InfoOf(h)
	if err != nil {
		return nil, err
	}
	if h.Status != thread.Paused || len(t.Requests) == 0 {
		return nil, fmt.Errorf("thread %q is %s: it waits for no answer", h.Thread, status(h))
	}
	var ids []string
	for i := range t.Requests {
		if t.Requests[i].ID == v.Request {
			return &t.Requests[i], nil
		}
		ids = append(ids, t.Requests[i].ID)
	}
	if v.Request == "" && len(ids) == 1 {
		return &t.Requests[0], nil
	}
	return nil, fmt.Errorf("thread %q waits for several answers, or for another one: choose a request with -request: %s", h.Thread, strings.Join(ids, ", "))
}

// fits returns an error for an answer that is not JSON, or not one of the choices.
func (v *resumeVerb) fits(q *graphgen.Request) error {
	var answer any
	if err := json.Unmarshal([]byte(v.Answer), &answer); err != nil {
		return fmt.Errorf("the answer %s is not JSON: a text has quotes, such as '\"approve\"': %w", v.Answer, err)
	}
	if text, ok := answer.(string); ok && len(q.Choices) > 0 && !slices.Contains(q.Choices, text) {
		return fmt.Errorf("the answer to request %s is one of %s", q.ID, strings.Join(q.Choices, ", "))
	}
	return nil
}

// A program is what the text of a program has of a thread.
type program struct {
	Graph, Machine, Package, Import, Open string
	Thread, Request, Answer               string
}

// opening is the Go code that opens a store: an import path, and a call.
var opening = map[string]struct{ path, call string }{
	"file":   {"github.com/graphgen/graphgen/thread/filestore", "filestore.Open(%s)"},
	"sqlite": {"github.com/graphgen/graphgen/contrib/sqlite", "sqlite.Open(ctx, %s)"},
	"redis":  {"github.com/graphgen/graphgen/contrib/redis", "redis.Open(ctx, %s)"},
	"":       {"github.com/graphgen/graphgen/contrib/postgres", "postgres.Open(ctx, %s)"},
}

func (v *resumeVerb) program(h *thread.Head, q *graphgen.Request) program {
	scheme, _, _ := strings.Cut(v.Store, ":")
	address := v.Store
	switch scheme {
	case "file", "sqlite":
		address = Path(v.Store)
	case "rediss":
		scheme = "redis"
	case "postgres", "postgresql":
		scheme = ""
	}
	by := opening[scheme]
	return program{
		Graph: h.Graph, Machine: goname.Exported(h.Graph), Package: strconv.Quote(v.Package), Import: strconv.Quote(by.path),
		Open:   fmt.Sprintf(by.call, strconv.Quote(Redacted(address))),
		Thread: strconv.Quote(h.Thread), Request: strconv.Quote(q.ID), Answer: strconv.Quote(v.Answer),
	}
}

// resumption is the program that answers a request. Texts of threads are in it as quoted literals alone.
var resumption = template.Must(template.New("resume").
	Parse(`// This program answers a request of a thread of the graph {{.Graph}}. Give New{{.Machine}} what it needs before its options: handlers,
// tools, other graphs.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/graphgen/graphgen"
	{{.Import}}
	"github.com/graphgen/graphgen/thread"

	agent {{.Package}}
)

func main() {
	ctx := context.Background()
	store, err := {{.Open}}
	if err != nil {
		log.Fatal(err)
	}
	m, err := agent.New{{.Machine}}(handlers, thread.In(store))
	if err != nil {
		log.Fatal(err)
	}
	out, err := m.Thread({{.Thread}}).Resume(ctx, graphgen.AnswerJSON[agent.{{.Machine}}]({{.Request}}, []byte({{.Answer}})))
	if err != nil {
		log.Fatal(err) // also where the run waits again
	}
	fmt.Printf("%+v\n", out)
}
`))
