package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
)

// A codeLens is a command that is shown above a line.
type codeLens struct {
	Range   Range   `json:"range"`
	Command command `json:"command"`
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments"`
}

// The commands that editors may execute. Each has the URI of a spec as its first argument.
const (
	commandTest    = "graphgen.test"    // runs its scenarios, or the one that is the second argument
	commandPicture = "graphgen.picture" // returns its picture as SVG
)

// codeLenses returns the commands of a file: the picture and the scenarios of a spec, and each scenario.
func codeLenses(_ context.Context, s *Server, p *documentParams) (any, error) {
	list := []codeLens{}
	d, err := s.document(p.TextDocument)
	if err != nil {
		return nil, err
	}
	f := s.file(d.abs)
	switch {
	case isScenarios(d.abs):
		owners := s.owners(f)
		if len(owners) == 0 {
			return list, nil
		}
		r := readOutline(f.text.bytes, "")
		for i := range r.entries {
			e := &r.entries[i]
			if e.key == "name" && e.style.isScalar() && e.parent >= 0 && r.entries[e.parent].item && r.path(e.parent) == "scenarios" {
				list = append(list, codeLens{d.text.span(e.keyAt, e.to), command{"run", commandTest, []any{s.uri(owners[0]), decode(e.scalar(r.text))}}})
			}
		}
	case d.isSpec() && mappingOf(d.abs) == "graph":
		at := f.read.child(-1, "graph")
		if at < 0 {
			return list, nil
		}
		place := d.text.span(f.read.entries[at].keyAt, f.read.entries[at].to)
		list = append(list, codeLens{place, command{"show the picture", commandPicture, []any{d.uri}}})
		if len(s.scenariosOf(d.abs)) > 0 {
			list = append(list, codeLens{place, command{"run the scenarios", commandTest, []any{d.uri}}})
		}
	}
	return list, nil
}

// path returns the keys that lead to an entry.
func (r *read) path(i int) string {
	var keys []string
	for ; i >= 0; i = r.entries[i].parent {
		if !r.entries[i].item {
			keys = append([]string{r.entries[i].key}, keys...)
		}
	}
	return strings.Join(keys, ".")
}

type executeParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// arguments returns the command line of a command.
func (p *executeParams) arguments() ([]string, error) {
	texts := make([]string, len(p.Arguments))
	for i, raw := range p.Arguments {
		if err := json.Unmarshal(raw, &texts[i]); err != nil {
			return nil, &fault{codeInvalidParams, "the arguments are texts: " + err.Error()}
		}
	}
	if len(texts) == 0 || pathOf(texts[0]) == "" {
		return nil, &fault{codeInvalidParams, "the first argument is the URI of a file"}
	}
	path := namedPath(pathOf(texts[0]))
	switch {
	case p.Command == commandPicture:
		return []string{"diagram", "-format", "svg", path}, nil
	case p.Command == commandTest && len(texts) > 1:
		graph := strings.TrimSuffix(filepath.Base(path), ".graph.yaml")
		return []string{"test", "-v", "-run", "^[^/]*/" + regexp.QuoteMeta(texts[1]) + "$", filepath.Join(filepath.Dir(path), graph+".graph.yaml")}, nil
	case p.Command == commandTest:
		return []string{"test", "-v", path}, nil
	}
	return nil, &fault{codeInvalidParams, fmt.Sprintf("there is no command %.80q", p.Command)}
}

// execute runs a verb while the server handles other messages, and answers with the verb's output.
func (s *Server) execute(ctx context.Context, m *message) error {
	p := new(executeParams)
	err := json.Unmarshal(cmpRaw(m.Params), p)
	if err != nil {
		return s.conn.answer(m.ID, nil, &fault{codeInvalidParams, err.Error()})
	}
	args, err := p.arguments()
	if err != nil {
		return s.conn.answer(m.ID, nil, err)
	}
	ctx, stop := context.WithCancel(ctx)
	s.inbox.run(string(m.ID), stop)
	s.verbs.Go(func() {
		defer s.inbox.ran(string(m.ID))
		var result any
		err := error(&fault{codeInternal, "the verb panicked"})
		func() {
			defer func() {
				if p := recover(); p != nil {
					_ = s.log(fmt.Sprintf("%s: panic: %v\n%s", args[0], p, debug.Stack()))
				}
			}()
			var out string
			out, err = s.compiler.Run(ctx, args)
			result = map[string]any{"output": out, "ok": err == nil}
			if err != nil && ctx.Err() == nil {
				result, err = map[string]any{"output": out + err.Error(), "ok": false}, nil
			}
		}()
		if ctx.Err() != nil {
			err = &fault{codeCancelled, "the request is cancelled"}
		}
		_ = s.conn.answer(m.ID, result, err) // a connection that has ended is found where messages are read
	})
	return nil
}
