package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/input"
)

// bounded is a spec with its bounds.
type bounded struct {
	spec   *source
	bounds *bounds.Bounds
}

// boundsOf returns the bounds of the selected graphs without errors.
func boundsOf(folders []*folder, found []diag.Diagnostic, prices *bounds.Prices) []bounded {
	wrong := withErrors(found)
	var list []bounded
	for _, f := range folders {
		for _, s := range f.selected() {
			if s.graph == nil || s.graph.TypesOnly() || wrong[s.path] {
				continue
			}
			list = append(list, bounded{s, bounds.Priced(s.flow, prices)})
		}
	}
	return list
}

// withErrors returns the files that have errors.
func withErrors(found []diag.Diagnostic) map[string]bool {
	wrong := map[string]bool{}
	for _, d := range found {
		if d.Severity == diag.Error {
			wrong[d.File] = true
		}
	}
	return wrong
}

// readPrices reads a table of prices; nil if no file is named.
func readPrices(file string) (*bounds.Prices, error) {
	if file == "" {
		return nil, nil
	}
	text, err := input.Read(file, input.MaxTable)
	if err != nil {
		return nil, err
	}
	prices, err := bounds.ParsePrices(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return prices, nil
}

// writeBounds writes the bounds as text.
func writeBounds(w io.Writer, list []bounded) error {
	var b strings.Builder
	for i, x := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		x.text(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (x *bounded) text(b *strings.Builder) {
	steps, most := x.bounds.Steps, x.bounds.Graph.MaxSteps()
	limit := fmt.Sprintf("max_steps is %d", most)
	if !x.spec.graph.Limits.MaxSteps.IsSet() {
		limit += " by default"
	}
	if steps.ByAnswers {
		fmt.Fprintf(b, "%s: graph %s: no bound but the answers of people (max_steps is not set)\n", x.spec.path, x.spec.graph.Name.V)
	} else {
		fmt.Fprintf(b, "%s: graph %s: at most %s (%s)\n", x.spec.path, x.spec.graph.Name.V, counted(steps.Most, "step"), limit)
		if !steps.Exact() {
			fmt.Fprintf(b, "  a walk that makes %d:\n", steps.Reached)
		}
		fmt.Fprintf(b, "  %s\n", steps.Path)
	}
	for _, note := range x.notes() {
		fmt.Fprintf(b, "  note: %s\n", note)
	}
	b.WriteString("\n")
	if x.bounds.ModelCalls.Most > 0 {
		align(b, x.models())
		b.WriteString("\n")
	}
	rows := [][]string{{"node", "visits"}}
	for _, n := range x.nodes() {
		rows = append(rows, []string{n.Name(), number(x.bounds.Visits[n.Index])})
	}
	align(b, rows)
	b.WriteString("\n")
	rows = [][]string{{"from", "to", "transition", "follows"}}
	for _, transition := range x.bounds.Graph.Taken {
		if transition != x.bounds.Graph.Entry {
			rows = append(rows, []string{fromName(transition), toName(transition), transitionText(transition), number(x.bounds.Follows[transition.Index])})
		}
	}
	for _, w := range x.bounds.RegionTransitions {
		rows = append(rows, []string{w.From.Name(), nameOrEnd(w.To), regionText(w), number(w.Follows)})
	}
	align(b, rows)
}

// regionText describes a transition of a region.
func regionText(w bounds.RegionTransition) string {
	text := w.Text
	if text == "" {
		text = w.Rule.String()
	}
	return text + ", within " + w.Composite.Name()
}

// nodes returns the nodes in the order of the spec.
func (x *bounded) nodes() []*cfg.Node {
	nodes := slices.Clone(x.bounds.Graph.Running)
	slices.SortStableFunc(nodes, func(a, b *cfg.Node) int {
		return a.Pos().Compare(b.Pos())
	})
	return nodes
}

// models returns the table of model calls. The number of tools per turn is up to the model.
func (x *bounded) models() [][]string {
	rows := [][]string{{"models", "at most"}, {"calls", number(x.bounds.ModelCalls)}}
	if x.bounds.ToolTurns.Most > 0 {
		calls := "no bound but max_tool_calls, which is not set"
		if most := x.spec.graph.Limits.MaxToolCalls; most.IsSet() {
			calls = fmt.Sprint(most.V)
		}
		rows = append(rows, []string{"turns that call tools", number(x.bounds.ToolTurns)}, []string{"tool calls", calls})
	}
	if x.bounds.Cost != nil {
		cost := dollars(x.bounds.Cost)
		if x.bounds.ModelCalls.ByAnswers && len(x.bounds.Cost.Unpriced()) == 0 && !x.spec.graph.Limits.MaxCost.IsSet() {
			cost = byPeople
		}
		rows = append(rows, []string{"US dollars", cost})
	}
	return rows
}

// dollars formats the cost of models.
func dollars(c *bounds.Cost) string {
	sum, known := c.Dollars()
	switch missing := c.Unpriced(); {
	case len(missing) > 0:
		return "unknown: there is no price for " + strings.Join(missing, ", ")
	case !known:
		return "unbounded"
	}
	return strconv.FormatFloat(math.Ceil(sum*1e4)/1e4, 'f', 4, 64)
}

// notes explains numbers that only limits bound.
func (x *bounded) notes() []string {
	var notes []string
	for _, n := range x.bounds.Endless {
		notes = append(notes, fmt.Sprintf("the list %q of %q has no max_length, so only max_steps bounds the steps for its elements",
			n.Spec.Spec.Over.V, n.Name()))
	}
	if x.bounds.Mutable {
		most := spec.DefaultMutations
		if set := x.spec.graph.Mutations.Max; set.IsSet() {
			most = set.V
		}
		notes = append(notes,
			fmt.Sprintf("a run may change its graph, %s at most, so the numbers follow from the limits alone; steps and calls "+
				"include dynamic nodes", times(most)))
	}
	return notes
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// byPeople is a bound of runs that make as many steps as the answers of people let them.
const byPeople = "as often as people answer"

// number formats a bound, with the number reached if it is not exact.
func number(b bounds.Bound) string {
	if b.ByAnswers {
		return byPeople
	}
	if b.Exact() {
		return fmt.Sprint(b.Most)
	}
	return fmt.Sprintf("at most %d, %d reached", b.Most, b.Reached)
}

func fromName(w *cfg.Transition) string {
	if w.From == nil {
		return "any"
	}
	return w.From.Name()
}

func toName(w *cfg.Transition) string { return cmp.Or(w.End, nameOrEnd(w.To)) }

// nameOrEnd returns the name of a node; nil is the end of a run, or of a region.
func nameOrEnd(n *cfg.Node) string {
	if n == nil {
		return spec.End
	}
	return n.Name()
}

// transitionText describes a transition and its bound.
func transitionText(w *cfg.Transition) string {
	text := w.Text()
	if text == "" {
		text = w.Rule.String()
	}
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = strings.TrimSpace(text[:i]) + " …"
	}
	if w.Max > 0 {
		text += fmt.Sprintf(", max_iterations %d", w.Max)
	}
	return text
}

// align writes rows in columns. The last column is not padded.
func align(b *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		b.WriteString("  ")
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)+2))
			}
		}
		b.WriteString("\n")
	}
}

// jsonBounds are the bounds of a graph in the output of graphgen check -bounds -json. Fields are
// only ever added.
type jsonBounds struct {
	File     string       `json:"file"`
	Graph    string       `json:"graph"`
	MaxSteps int          `json:"max_steps"` // 0: none, as only the answers of people bound the steps
	Steps    jsonBound    `json:"steps"`
	Path     []string     `json:"path"`
	PathCut  bool         `json:"path_cut,omitempty"` // path has the first names alone
	Text     string       `json:"path_text"`
	Visits   []jsonVisits `json:"visits"`
	Follows  []jsonFollow `json:"follows"`

	ModelCalls *jsonBound `json:"model_calls,omitempty"` // left out where no model is asked
	ToolTurns  *jsonBound `json:"tool_turns,omitempty"`  // turns of models that call tools
	Cost       *jsonCost  `json:"cost,omitempty"`        // with -prices
	Notes      []string   `json:"notes,omitempty"`       // explains numbers that only limits bound
}

// jsonCost is the cost of the models of a run.
type jsonCost struct {
	Dollars  *float64 `json:"dollars"` // null: it is not known
	Unpriced []string `json:"unpriced,omitempty"`
}

type jsonBound struct {
	Most      int  `json:"most"`
	Exact     bool `json:"exact"`
	Reached   int  `json:"reached"`
	ByAnswers bool `json:"by_people,omitempty"` // the answers of people are all that bounds it, and most is no limit
}

type jsonVisits struct {
	Node string `json:"node"`
	Line int    `json:"line"`
	// Within is the composite node that runs it.
	Within string `json:"within,omitempty"`
	jsonBound
}

type jsonFollow struct {
	From          string `json:"from,omitempty"` // left out for on_error: it may be any node
	To            string `json:"to"`
	Rule          string `json:"rule"`
	Text          string `json:"text,omitempty"`
	Line          int    `json:"line,omitzero"`
	Within        string `json:"within,omitempty"` // the node that runs both, or that runs To
	MaxIterations int    `json:"max_iterations,omitzero"`
	jsonBound
}

// maxNames is the length of path. path_text has the whole path, with repeated parts in brackets.
const maxNames = 10_000

func boundJSON(b bounds.Bound) jsonBound {
	return jsonBound{b.Most, b.Exact(), b.Reached, b.ByAnswers}
}

func (x *bounded) json() jsonBounds {
	path := x.bounds.Steps.Path
	if x.bounds.Steps.ByAnswers {
		path = nil // it has no end
	}
	names, cut := []string{}, false
	for name := range path.Names() {
		if cut = len(names) == maxNames; cut {
			break
		}
		names = append(names, name)
	}
	out := jsonBounds{
		File: x.spec.path, Graph: x.spec.graph.Name.V, MaxSteps: x.bounds.Graph.MaxSteps() % cfg.NoLimit,
		Steps: boundJSON(x.bounds.Steps), Path: names, PathCut: cut, Text: path.String(),
		Visits: []jsonVisits{}, Follows: []jsonFollow{}, Notes: x.notes(),
	}
	for _, n := range x.nodes() {
		v := jsonVisits{Node: n.Name(), Line: n.Pos().Line, jsonBound: boundJSON(x.bounds.Visits[n.Index])}
		if parent := n.Parent(); parent != nil {
			v.Within = parent.Name()
		}
		out.Visits = append(out.Visits, v)
	}
	if x.bounds.ModelCalls.Most > 0 {
		calls, turns := boundJSON(x.bounds.ModelCalls), boundJSON(x.bounds.ToolTurns)
		out.ModelCalls, out.ToolTurns = &calls, &turns
	}
	if c := x.bounds.Cost; c != nil {
		out.Cost = &jsonCost{Unpriced: c.Unpriced()}
		if sum, known := c.Dollars(); known {
			out.Cost.Dollars = &sum
		}
	}
	for _, w := range x.bounds.Graph.Taken {
		if w == x.bounds.Graph.Entry {
			continue
		}
		f := jsonFollow{To: toName(w), Rule: w.Rule.String(), Text: w.Text(), Line: w.Pos.Line, MaxIterations: w.Max,
			jsonBound: boundJSON(x.bounds.Follows[w.Index])}
		if w.From != nil {
			f.From = w.From.Name()
		}
		out.Follows = append(out.Follows, f)
	}
	for _, w := range x.bounds.RegionTransitions {
		out.Follows = append(out.Follows, jsonFollow{
			From: w.From.Name(), To: nameOrEnd(w.To), Rule: w.Rule.String(), Text: w.Text, Line: w.Pos.Line, Within: w.Composite.Name(),
			jsonBound: boundJSON(w.Follows),
		})
	}
	return out
}

// boundsJSON returns the bounds as values for JSON.
func boundsJSON(list []bounded) []jsonBounds {
	out := []jsonBounds{}
	for _, x := range list {
		out = append(out, x.json())
	}
	return out
}
