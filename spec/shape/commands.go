package shape

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// Commands are what the running workflows of a graph depend on, where another engine drives it: the commands that the machine gives the
// engine are compared with the history of a workflow when that is replayed. Texts of prompts, docs, the lengths of time limits and what handlers take
// do not belong to it.
type Commands struct {
	Begins string   // the hash of what decides how a run begins
	Input  []string // the fields of the input, sorted
	Limits []Limit  // those that are set or have a default, in the order of the spec
	Nodes  []*NodeCommands
}

// A Limit is a limit of runs: a higher one changes nothing for a run that has not reached it.
type Limit struct {
	Name string
	Most int
}

// NodeCommands are hashes of what decides about a node, sorted by name.
type NodeCommands struct {
	Name   string
	Runs   string // what it does, from when a run enters it
	Leaves string // where a run goes from it
	More   string // of both, what releases of earlier versions lack; empty: nothing, or it is such a release
	Pos    spec.Pos
}

// RunsAs reports whether the node does what another one does, as far as both releases have it.
func (n *NodeCommands) RunsAs(m *NodeCommands) bool {
	return n.Runs == m.Runs && (n.More == "" || m.More == "" || n.More == m.More)
}

// Node returns the commands of a node, nil if no node has the name.
func (c *Commands) Node(name string) *NodeCommands {
	if i := slices.IndexFunc(c.Nodes, func(n *NodeCommands) bool { return n.Name == name }); i >= 0 {
		return c.Nodes[i]
	}
	return nil
}

// CommandsOf returns the commands of a checked graph; nil if no other engine drives it.
func CommandsOf(g *cfg.Graph) *Commands {
	if len(g.Spec.Spec.Drivers) == 0 {
		return nil
	}
	return commandsOf(g, map[*resolve.Graph]hashes{})
}

// hashes are the hashes of the commands of a graph that nodes run: without More, and with it and the state.
type hashes struct{ runs, more string }

// commandsOf returns the commands of a graph. known has the hashes of the graphs that nodes run.
func commandsOf(g *cfg.Graph, known map[*resolve.Graph]hashes) *Commands {
	known[g.Spec] = hashes{Itself, Itself}
	s := g.Spec.Spec
	c := &Commands{Begins: short(beginning(g))}
	for _, f := range s.Input {
		c.Input = append(c.Input, f.V)
	}
	slices.Sort(c.Input)
	for _, l := range []struct {
		name     string
		is       spec.Value[int]
		standard int
	}{
		{"max_steps", s.Limits.MaxSteps, g.MaxSteps()}, {"max_visits", s.Limits.MaxVisits, spec.DefaultMaxVisits},
		{"max_tokens", s.Limits.MaxTokens, 0}, {"max_model_calls", s.Limits.MaxModelCalls, 0}, {"max_tool_calls", s.Limits.MaxToolCalls, 0},
	} {
		if l.is.IsSet() {
			l.standard = l.is.V
		}
		if l.standard > 0 && l.standard != cfg.NoLimit {
			c.Limits = append(c.Limits, Limit{l.name, l.standard})
		}
	}
	for _, n := range g.Nodes {
		if n.Spec == g.Spec.Pool {
			continue
		}
		one := &NodeCommands{Name: n.Name(), Leaves: short(leaving(g.Spec, n)), Pos: n.Spec.Spec.Name.Pos}
		one.Runs = short(running(g.Spec, n, known))
		if text := more(n, known); text != "" {
			one.More = short(text)
		}
		c.Nodes = append(c.Nodes, one)
	}
	slices.SortFunc(c.Nodes, func(a, b *NodeCommands) int { return cmp.Compare(a.Name, b.Name) })
	return c
}

// short returns the hash of a text.
func short(text string) string {
	const bytes = 6
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}

// Keys that give a node's engine no commands, besides texts, or that have a place of their own.
var (
	beginsElsewhere = []string{
		"graph", "entry", "drivers", "durable", "serve", "codecs", "input", "output", "use", "edges", "no_match", "on_error", "types", "revisit_feedback",
		"model", "temperature",
	}
	limitsElsewhere = []string{"max_steps", "max_visits", "max_tokens", "max_model_calls", "max_tool_calls", "on_max_steps"}
	runsElsewhere   = []string{
		"kind", "reads", "output", "flags", "goto", "routes", "transitions", "next", "no_match", "on_pass", "on_fail", "on_deny", "on_timeout", "renamed_from",
		"transaction", "temperature", "max_tokens", "token_budget", "inherits", "context", "max_messages", "revisit_feedback", "record",
	}
)

// beginning is what decides how a run begins, as text.
func beginning(g *cfg.Graph) string {
	var b strings.Builder
	if g.Entry != nil {
		fmt.Fprintln(&b, "entry", target(g.Entry))
	}
	settle(&b, g.Spec.Spec.Settings(), beginsElsewhere)
	settle(&b, g.Spec.Spec.Limits.Settings(), limitsElsewhere)
	if m := g.Spec.Spec.Mutations; m != nil {
		settle(&b, m.Settings(), nil)
		if g.Spec.Mutations.AddsPrompts() && g.Spec.Spec.Model.IsSet() {
			fmt.Fprintln(&b, "model", g.Spec.Spec.Model.V)
		}
	}
	return b.String()
}

// settle writes settings. Of a text and of a time only whether it is set counts.
func settle(b *strings.Builder, list []spec.Setting, elsewhere []string) {
	for _, s := range list {
		text := s.Text
		switch s.Key.Form {
		case spec.FormText, spec.FormPrompt:
			continue
		case spec.FormDuration:
			text = "set"
		case spec.FormNames, spec.FormWords:
			if len(s.Names) > 1 && s.Key.Name != "body" {
				text = strings.Join(slices.Sorted(slices.Values(s.Names)), ", ")
			}
		}
		if !slices.Contains(elsewhere, s.Key.Name) {
			fmt.Fprintln(b, s.Key.Name, text)
		}
	}
}

// running is what a node does, as text.
func running(g *resolve.Graph, n *cfg.Node, known map[*resolve.Graph]hashes) string {
	var b strings.Builder
	s := n.Spec.Spec
	fmt.Fprintln(&b, n.Spec.Kind.Name, n.Soft, n.Critical, n.Skip, g.Mutates(n.Spec))
	if n.AnswersBound {
		fmt.Fprintln(&b, "visited as often as people answer")
	}
	if n.Region != nil {
		fmt.Fprintln(&b, "in", n.Region)
	}
	asking, model := *s, g.Spec.Model // with the model that it asks: another may be another activity
	if (n.Spec.Asks || n.Spec.Kind.Picks()) && !asking.Prompt.Model.IsSet() {
		asking.Prompt.Model = model
	}
	asking.Guards = slices.DeleteFunc(slices.Clone(s.Guards), func(g spec.Guard) bool { return g.Judge.IsSet() })
	for range len(s.Guards) - len(asking.Guards) { // after the methods
		fmt.Fprintln(&b, "a guard of a model")
	}
	settle(&b, asking.Settings(), runsElsewhere)
	if model.IsSet() && (n.Spec.HasJudge() || n.Spec.Summarizes()) {
		fmt.Fprintln(&b, "and", model.V)
	}
	for _, table := range s.Tables() {
		for _, a := range table.List {
			fmt.Fprintln(&b, table.Key, a.Name.V, oneBlank(a.Field.V))
		}
	}
	for _, f := range s.Flags {
		if f.Name.V == spec.Entry.String() {
			continue
		}
		fmt.Fprintln(&b, "flag", f.Name.V)
		switch {
		case f.Retry != nil:
			settle(&b, f.Retry.Settings(), nil)
		case f.Approval != nil:
			settle(&b, f.Approval.Settings(), nil)
		}
	}
	for _, e := range s.Evals {
		fmt.Fprintln(&b, "eval", e.Judge.IsSet())
		settle(&b, e.Settings(), []string{"reads"})
	}
	for _, r := range n.Regions {
		fmt.Fprint(&b, "region ", r.Spec.Name.V, ":")
		for _, inner := range r.Nodes {
			fmt.Fprint(&b, " ", inner.Name())
		}
		if r.If != nil {
			fmt.Fprint(&b, " if ", oneBlank(r.If.String()))
		}
		fmt.Fprintln(&b)
	}
	if n.Spec.Out != nil && s.Output != nil {
		b.WriteString(outputText(n.Spec.Out))
	}
	for _, t := range n.Spec.Tools {
		fmt.Fprintln(&b, "tool", t.Spec.Name.V, t.Returns)
	}
	if n.Spec.Sub != nil {
		fmt.Fprintln(&b, "graph", hashesOf(n.Spec.Sub, known).runs)
	}
	return b.String()
}

// more is what a node does and where runs go from it, as text, that releases of earlier versions have no hash of. What makes it empty or not is in running
// or leaving, so that two releases that are the same there both have it.
func more(n *cfg.Node, known map[*resolve.Graph]hashes) string {
	var b strings.Builder
	is := n.Spec
	if is.Has(spec.Cacheable) {
		fmt.Fprintln(&b, "cached by", names[string](is.Spec.Reads))
	}
	if is.Kind.By == spec.ByPerson {
		fmt.Fprintln(&b, "record", is.Spec.Record.V)
	}
	for _, t := range is.Tools {
		fmt.Fprintln(&b, "tool", t.Spec.Name.V, outputText(t.Args), outputText(t.Returns))
		elsewhere := []string{"max_result"}
		if !t.Spec.Pure.V {
			elsewhere = append(elsewhere, "reads")
		}
		settle(&b, t.Spec.Settings(), elsewhere)
	}
	if is.Sub != nil {
		fmt.Fprintln(&b, "graph", hashesOf(is.Sub, known).more)
	}
	for _, table := range is.Spec.Tables() {
		for _, a := range table.List {
			blankLiterals(&b, a.Field.V)
		}
	}
	for _, r := range n.Regions {
		if r.If != nil {
			blankLiterals(&b, r.If.String())
		}
	}
	for _, list := range n.On {
		for _, t := range list {
			if t.Cond.Kind == cfg.If {
				blankLiterals(&b, t.Cond.Text)
			}
		}
	}
	return b.String()
}

// outputText is the type of an output, with the types that it has, as text.
func outputText(t *resolve.Type) string {
	own := &Shape{State: &resolve.Type{Kind: resolve.Struct, Fields: []*resolve.Field{{Name: "output", Type: t}}}}
	return own.text("", false)
}

// FormOf returns the hash of what saved results depend on: the type of their output, which may be nil, and the names of which they hold a number.
func FormOf(out *resolve.Type, names []string) string {
	text := strings.Join(names, "\n")
	if out != nil {
		text = outputText(out) + text
	}
	return short(text)
}

// hashesOf returns the hashes of all commands of a graph.
func hashesOf(g *resolve.Graph, known map[*resolve.Graph]hashes) hashes {
	if known[g] == (hashes{}) {
		c := commandsOf(cfg.Build(g), known)
		state := &Shape{State: g.State}
		known[g] = hashes{short(c.text("", false)), short(c.text("", true) + state.text("", false))}
	}
	return known[g]
}

// leaving is where a run goes from a node, as text.
func leaving(g *resolve.Graph, n *cfg.Node) string {
	var b strings.Builder
	for o, list := range n.On {
		if cfg.Outcome(o) == cfg.Spent && len(list) == 0 {
			continue // releases that were locked before budget edges have no line of it
		}
		for _, t := range list {
			if t.Cond.Kind == cfg.Judged && g.Spec.Model.IsSet() {
				fmt.Fprintln(&b, "model", g.Spec.Model.V)
			}
			fmt.Fprintln(&b, cfg.Outcome(o), target(t), t.Key, oneBlank(t.Cond.String()), bound(t))
		}
		fmt.Fprintln(&b, cfg.Outcome(o), "else", n.Else[o])
	}
	for _, t := range n.UsedUp {
		fmt.Fprintln(&b, "used up", target(t))
	}
	if n.Until != nil {
		fmt.Fprintln(&b, "until", oneBlank(n.Spec.Spec.Until.V))
	}
	return b.String()
}

// oneBlank is a text with one blank where it has several, in the literals of an expression, too.
func oneBlank(text string) string { return strings.Join(strings.Fields(text), " ") }

var literal = regexp.MustCompile("\"(?:\\\\.|[^\"\\\\])*\"|`[^`]*`|'(?:\\\\.|[^'\\\\])*'")

// blankLiterals writes the literals of an expression that have blanks.
func blankLiterals(b *strings.Builder, code string) {
	for _, l := range literal.FindAllString(code, -1) {
		if strings.ContainsFunc(l, unicode.IsSpace) {
			fmt.Fprintln(b, l)
		}
	}
}

func bound(t *cfg.Transition) string {
	if !t.Bounded {
		return ""
	}
	return strconv.Itoa(t.Max)
}

func target(t *cfg.Transition) string {
	if t.To != nil {
		return t.To.Name()
	}
	return spec.End
}

// text returns the commands as a lock file has them, with or without what earlier versions lack.
func (c *Commands) text(indent string, more bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%sworkflows:\n%s  begins: %q\n", indent, indent, c.Begins)
	if len(c.Input) > 0 {
		tree := words(c.Input)
		fmt.Fprintf(&b, "%s  input: %s\n", indent, tree.Flow())
	}
	for _, l := range c.Limits {
		fmt.Fprintf(&b, "%s  %s: %d\n", indent, l.Name, l.Most)
	}
	fmt.Fprintf(&b, "%s  nodes:\n", indent)
	for _, n := range c.Nodes {
		fmt.Fprintf(&b, "%s    %s: {runs: %q, leaves: %q", indent, flow(n.Name), n.Runs, n.Leaves)
		if more && n.More != "" {
			fmt.Fprintf(&b, ", more: %q", n.More)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// Equal reports whether two graphs give their engine the same commands. Two that no other engine drives do.
func (c *Commands) Equal(d *Commands) bool {
	if c == nil || d == nil {
		return c == d
	}
	return c.text("", false) == d.text("", false) && !slices.ContainsFunc(c.Nodes, func(n *NodeCommands) bool { return !n.RunsAs(d.Node(n.Name)) })
}
