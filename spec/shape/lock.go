package shape

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// LockSuffix is how the name of a lock file ends: review.graph.lock is the lock file of review.graph.yaml.
const LockSuffix = ".graph.lock"

// A Lock is a lock file: the released shapes of a graph, the first release first.
type Lock struct {
	File     string // its name for diagnostics
	Source   []byte
	Graph    spec.String
	Releases []*Release
}

// A Release is a released shape.
type Release struct {
	Number spec.Value[int] // 1 for the first
	Hash   spec.String     // of the shape
	Note   spec.String
	Shape  *Shape

	Types []*spec.TypeDecl // as they are written
	State []*spec.Field

	nodes    []*released
	commands *commanded
	pos      spec.Pos
	unread   bool
}

// released is a node as a lock file has it.
type released struct {
	name, kind, parent, branch, graph, shape, was spec.String
	waits, keeps                                  []spec.String
	output                                        *spec.TypeExpr
	unread                                        bool
}

// Last returns the last release, nil without one.
func (l *Lock) Last() *Release {
	if l == nil || len(l.Releases) == 0 {
		return nil
	}
	return l.Releases[len(l.Releases)-1]
}

// Append returns the text of the lock file with one more release, which has the next number. The text before it
// stays as it is. A nil lock has no releases.
func (l *Lock) Append(s *Shape, note string) []byte {
	var b strings.Builder
	number := 1
	if l == nil {
		fmt.Fprintf(&b, "# Released shapes of the graph %s. graphgen release adds to this file; do not edit it.\ngraph: %s\nreleases:\n",
			flow(s.Graph), flow(s.Graph))
	} else {
		number += len(l.Releases)
		b.Write(l.Source)
		if !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "  - release: %d\n    shape: %q\n", number, s.Hash())
	if note != "" {
		fmt.Fprintf(&b, "    note: %s\n", flow(note))
	}
	b.WriteString(s.text("    ", true))
	if c := s.Commands; c != nil {
		b.WriteString(c.text("    ", true))
	}
	return []byte(b.String())
}

// ParseLock reads a lock file; file is its name for diagnostics. The lock is nil where there are any.
func ParseLock(file string, source []byte) (*Lock, []diag.Diagnostic) {
	r := yamlread.New(file, "", &language)
	l := &Lock{File: file, Source: source}
	root, ok := r.Parse(source)
	if !ok || r.Count() > 0 {
		return nil, r.Found()
	}
	yamlread.Read(r, &root, &lockTable, l)
	if r.Count() > 0 {
		return nil, r.Found()
	}
	for i, release := range l.Releases {
		release.bind(l)
		l.judge(r, i)
	}
	if r.Count() > 0 {
		return nil, r.Found()
	}
	return l, nil
}

// judge reports a release that graphgen has not written.
func (l *Lock) judge(r *yamlread.Reader, i int) {
	release := l.Releases[i]
	if release.Number.V != i+1 {
		r.Report("GG338", release.Number.Pos, fmt.Sprintf("release %d is in the place of release %d", release.Number.V, i+1), restored)
	}
	if hash := release.Shape.Hash(); hash != release.Hash.V {
		r.Report("GG338", release.Hash.Pos, fmt.Sprintf("release %d has been edited: the hash of its shape is %q", release.Number.V, hash), restored)
	}
}

const restored = "take the file from version control; graphgen release alone writes it"

// bind makes the shape of what a release holds.
func (release *Release) bind(l *Lock) {
	s := &Shape{Graph: l.Graph.V, Pos: release.pos}
	g := &spec.Graph{File: l.File, Name: l.Graph, Types: release.Types, State: release.State}
	for _, n := range release.nodes { // what they keep is resolved as the fields of a struct
		if n.output != nil {
			g.State = append(g.State, &spec.Field{Name: n.name, Type: n.output})
		}
	}
	state := resolve.Resolve(g).State
	kept := state.Fields[len(release.State):]
	s.State = &resolve.Type{Kind: resolve.Struct, GoName: state.GoName, Fields: state.Fields[:len(release.State):len(release.State)]}
	for _, n := range release.nodes {
		node := &Node{
			Name: n.name.V, Kind: n.kind.V, Parent: n.parent.V, Branch: n.branch.V, Waits: names[Wait](n.waits), Writes: names[string](n.keeps),
			Graph: n.graph.V, Shape: n.shape.V, Was: n.was, Pos: n.name.Pos,
		}
		if n.output != nil {
			node.Output, kept = kept[0].Type, kept[1:]
		}
		s.Nodes = append(s.Nodes, node)
	}
	s.Commands = release.commands.bind()
	release.Shape = s
}

// bind makes the commands of what a release holds.
func (c *commanded) bind() *Commands {
	if c == nil {
		return nil
	}
	bound := &Commands{Begins: c.begins.V, Input: names[string](c.input)}
	for _, l := range []struct {
		name string
		of   spec.Value[int]
	}{{"max_steps", c.steps}, {"max_visits", c.visits}, {"max_tokens", c.tokens}, {"max_model_calls", c.modelCalls}, {"max_tool_calls", c.toolCalls}} {
		if l.of.IsSet() {
			bound.Limits = append(bound.Limits, Limit{l.name, l.of.V})
		}
	}
	for _, n := range c.nodes {
		bound.Nodes = append(bound.Nodes, &NodeCommands{Name: n.name.V, Runs: n.runs.V, Leaves: n.leaves.V, More: n.more.V, Pos: n.name.Pos})
	}
	return bound
}

func names[T ~string](list []spec.String) []T {
	var out []T
	for _, s := range list {
		out = append(out, T(s.V))
	}
	return out
}

// Title returns what messages call the release.
func (release *Release) Title() string { return "release " + strconv.Itoa(release.Number.V) }
