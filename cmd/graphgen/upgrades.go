package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/cmd/internal/lsp"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// latest is the version of this graphgen, or of its next release: the text of the file VERSION.
const latest = "v0.1.0"

// A languageChange is a change of the language of specs or scenarios, after which a file of an earlier version needs a look. Its texts are
// an entry of CHANGELOG.md.
type languageChange struct {
	version    string // of graphgen that brought it
	generation int    // the first kernel generation of which all code was generated after it
	change     string // what it is, as a sentence without its full stop
	remedy     string // what to do
	severity   diag.Severity
	codes      []string                                      // diagnostics that report it
	find       func(g *spec.Graph, at func(spec.Pos))        // finds it in a graph of which templates are expanded
	scenarios  func(path string, text []byte) []spec.Pos     // finds it in a file of scenarios
	mend       func(path string, text []byte, at int) []byte // follows the remedy at an offset; nil: a person has to decide. Its result is nil if it cannot
}

// languageChanges are all changes, the newest version first. Errors are refused, warnings have another meaning.
var languageChanges = []languageChange{
	{
		version: "v0.1.0", generation: 2, severity: diag.Warning,
		change: "`max_iterations` of a `loop_until` is how often its node runs: it was how often the node ran again",
		remedy: "add 1 where the node has to run as often as before",
		find: func(g *spec.Graph, at func(spec.Pos)) {
			for _, e := range g.Edges {
				if e.Loop != nil {
					at(e.Loop.Executions().Pos)
				}
			}
		},
	},
	{
		version: "v0.1.0", generation: 2, severity: diag.Warning,
		change: "`no_match: error` holds where the edges of a node are used up, too: there the run ended without an error",
		remedy: "expect the error, or lead an edge without `max_iterations` to `end`",
		find: func(g *spec.Graph, at func(spec.Pos)) {
			usedUp := map[string]bool{}
			for _, e := range g.Edges {
				if e.MaxIterations.IsSet() {
					usedUp[e.From.V] = true
				}
			}
			if g.NoMatch.V == "error" && len(usedUp) > 0 {
				at(g.NoMatch.Pos)
			}
			for _, n := range g.Nodes {
				if n.NoMatch.V == "error" && usedUp[n.Name.V] {
					at(n.NoMatch.Pos)
				}
			}
		},
	},
	{
		version: "v0.1.0", generation: 2, severity: diag.Warning,
		change: "a run with a `max_cost` ends before it asks a model that has no price",
		remedy: "give each model its price, with `chat.Priced`",
		find: func(g *spec.Graph, at func(spec.Pos)) {
			if g.Limits.MaxCost.IsSet() {
				at(g.Limits.MaxCost.Pos)
			}
		},
	},
	{
		version: "v0.1.0", generation: 2, severity: diag.Warning,
		change: "a prompt that a run adds is not shown the conversation, reads the fields of `mutations.reads`, and calls the tools of `mutations.tools`",
		remedy: "name there what such prompts need",
		find: func(g *spec.Graph, at func(spec.Pos)) {
			if m := g.Mutations; m != nil && len(m.Kinds) > 0 && len(m.Reads)+len(m.Tools) == 0 {
				at(m.Kinds[0].Pos)
			}
		},
	},
	{
		version: "v0.1.0", generation: 2, severity: diag.Warning,
		change: "a run that has changed its graph fails if it ends before it has written an output, and `skip_to` does not lead to `end` before that",
		remedy: "write the outputs before, or give them a default",
		find: func(g *spec.Graph, at func(spec.Pos)) {
			if g.Mutations == nil || len(g.Output) == 0 {
				return
			}
			for _, a := range g.Mutations.Allow {
				if slices.Contains([]string{"skip_to", "remove_edge", "remove_node"}, a.V) {
					at(a.Pos)
				}
			}
		},
	},
	{
		version: "v0.1.0", generation: 5, severity: diag.Warning,
		change: "a `*` at the end of a name in `approve` is for the rest of the name: a person approves calls that were made without an approval",
		remedy: "answer the requests, or name the tools in full",
		find: func(g *spec.Graph, at func(spec.Pos)) {
			for _, n := range g.Nodes {
				for _, a := range n.Prompt.Approve {
					if strings.HasSuffix(a.V, "*") {
						at(a.Pos)
					}
				}
			}
		},
	},
	{
		version: "v0.1.0", generation: 3, severity: diag.Error,
		change: "`on_deny` and `on_timeout` of a node that another one runs are refused: they were never followed",
		remedy: "remove them, or write them at the node that runs it",
		find: func(g *spec.Graph, at func(spec.Pos)) {
			children := childrenOf(g)
			for _, n := range g.Nodes {
				for _, to := range []spec.String{n.OnDeny, n.OnTimeout} {
					if children[n.Name.V] && to.IsSet() {
						at(to.Pos)
					}
				}
			}
		},
		mend: lsp.RemoveEntry,
	},
	{
		version: "v0.1.0", generation: 2, severity: diag.Error,
		change: "GG287 to GG292, GG300, GG301, GG320 and GG324 report what was accepted",
		remedy: "follow the help of each",
		codes:  []string{"GG287", "GG288", "GG289", "GG290", "GG291", "GG292", "GG300", "GG301", "GG320", "GG324"},
	},
	{
		version: "v0.1.0", generation: 3, severity: diag.Warning,
		change: "GG296 warns of data in a system prompt",
		remedy: "follow its help",
		codes:  []string{"GG296"},
	},
	{
		version: "v0.1.0", generation: 5, severity: diag.Warning,
		change: "GG069 warns of a `loop_until` that runs enter again, and GG303 of a text that is the name of a file",
		remedy: "follow the help of each",
		codes:  []string{"GG069", "GG303"},
	},
	{
		version: "v0.1.0", generation: 6, severity: diag.Warning,
		change: "a `branch` without `by` looks at the output where that is an enum, or has one as its only field, and a label is a value of it: " +
			"there the handler returned the label",
		remedy: "return the output alone, or rename the labels that are values",
		find: func(g *spec.Graph, at func(spec.Pos)) {
			for _, e := range resolve.Resolve(g).Edges {
				if e.Table() && !e.Spec.By.IsSet() && e.By != nil && e.From.Kind.Returns {
					at(e.Spec.BranchPos)
				}
			}
		},
	},
	{
		version: "v0.1.0", generation: 6, severity: diag.Error,
		change: "scenarios expect errors of limits by `limit`, such as `limit: max_visits`, and errors of models and tools by `kind`, such as " +
			"`kind: malformed`: their types are gone",
		remedy:    "write the limit or the kind",
		scenarios: earlierErrors,
		mend:      mendError,
	},
	{
		version: "v0.1.0", generation: 6, severity: diag.Error,
		change: "GG141 refuses a use, and GG305 a type in Go, with the name of a variable of generated code, such as `result` or `record`",
		remedy: "rename it",
		codes:  []string{"GG141"},
	},
	{
		version: "v0.1.0", generation: 6, severity: diag.Error,
		change: "GG074 refuses a number without a unit wherever a duration is beside it, and GG156 a setting of a type beside a type in Go that is another",
		remedy: "follow the help of each",
		codes:  []string{"GG074"},
	},
}

// childrenOf returns the names of nodes that others run by name.
func childrenOf(g *spec.Graph) map[string]bool {
	children := map[string]bool{}
	add := func(names []spec.String) {
		for _, name := range names {
			children[name.V] = true
		}
	}
	for _, n := range g.Nodes {
		if !n.BodyGraph {
			add(n.Body)
		}
		add(n.Pool)
		for _, b := range n.Branches {
			if !b.Graph {
				add(b.Nodes)
			}
		}
	}
	return children
}

// laterErrors are the expectations of errors that had another type, by this.
var laterErrors = map[string]string{
	"StepsError": "limit: max_steps", "VisitsError": "limit: max_visits", "DepthError": "limit: max_depth", "LengthError": "limit: max_length",
	"BudgetError": "limit: budget", "BudgetExceeded": "limit: budget", "TimeoutError": "limit: timeout",
	"MalformedError": "kind: malformed", "ResultTooLargeError": "kind: result_too_large", "UnknownToolError": "kind: unknown_tool",
	"ArgumentsError": "kind: arguments", "ClientToolError": "kind: client",
	"Interrupted": "type: InterruptedError",
}

// earlierType matches an expectation of an error whose type may be gone.
var earlierType = regexp.MustCompile(`^type: +["']?([A-Za-z]+)["']?`)

// earlierErrors returns the places of expectations of errors whose type is gone.
func earlierErrors(path string, text []byte) (places []spec.Pos) {
	_, found := scenario.Load(path, text)
	for _, d := range found { // of the value
		at := offsetOf(text, d.Pos)
		if at < 0 {
			continue
		}
		key := bytes.LastIndex(text[:at], []byte("type:"))
		if key < 0 || mendError(path, text, key) == nil || len(bytes.TrimSpace(text[key+len("type:"):at])) > 0 {
			continue
		}
		before := utf8.RuneCount(text[key:at])
		places = append(places, spec.Pos{Line: d.Pos.Line, Col: d.Pos.Col - before, Width: d.Pos.Width + before})
	}
	return places
}

// mendError returns what a scenario has to expect instead of an error type that was removed, or nil if nothing replaces it.
func mendError(_ string, text []byte, at int) []byte {
	m := earlierType.FindSubmatch(text[at:])
	if m == nil || laterErrors[string(m[1])] == "" {
		return nil
	}
	return slices.Concat(text[:at], []byte(laterErrors[string(m[1])]), text[at+len(m[0]):])
}
