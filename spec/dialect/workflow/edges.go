package workflow

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/scc"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// readEdges checks the edges by the rules of the format that the language does not have.
func (im *importer) readEdges() {
	for _, e := range im.file.edges {
		known := true
		for _, name := range []text{e.from, e.to} {
			if !im.names.Has(name.V) {
				im.names.Unknown(name, "a run ends at a node that no edge leaves")
				known = false
			}
		}
		if !known {
			continue
		}
		if e.most.IsSet() && e.most.V < 1 {
			im.Error("GG355", e.most.Pos, "max_iterations is at least 1", "")
		}
		if e.from.V == e.to.V && !e.most.IsSet() {
			im.Error("GG361", e.to.Pos, "nothing bounds the edge from "+yamlread.Quote(e.from.V)+" to itself", "give it max_iterations")
			continue
		}
		im.edges = append(im.edges, e)
	}
	im.cycles()
}

// cycles reports the cycles of which no edge is bounded, each at its last edge in the file.
func (im *importer) cycles() {
	index := map[string]int{}
	for i, n := range im.file.nodes {
		index[n.name.V] = i
	}
	next := make([][]int, len(im.file.nodes))
	for _, e := range im.edges {
		from, ok := index[e.from.V]
		to, known := index[e.to.V]
		if ok && known && !e.most.IsSet() {
			next[from] = append(next[from], to)
		}
	}
	for _, ring := range scc.Cycles(next) {
		if len(ring) < 2 {
			continue
		}
		var last *edge
		for _, e := range im.edges {
			if from, ok := index[e.from.V]; ok && !e.most.IsSet() && slices.Contains(ring, from) && slices.Contains(ring, index[e.to.V]) {
				last = e
			}
		}
		var names []string
		for _, at := range ring {
			names = append(names, im.file.nodes[at].name.V)
		}
		slices.SortFunc(names, func(a, b string) int { return index[a] - index[b] })
		im.Error("GG361", last.to.Pos, "nothing bounds the cycle of "+strings.Join(names, ", "), "give one of its edges max_iterations")
	}
}

// executions returns how often a run may execute each node: once, and in a cycle once more for each follow of the
// bounded edges in it.
func (im *importer) executions() map[string]int {
	times := map[string]int{}
	index := map[string]int{}
	for i, n := range im.d.Nodes {
		index[n.Name.V] = i
		times[n.Name.V] = 1
	}
	next := make([][]int, len(im.d.Nodes))
	for _, e := range im.d.Edges {
		from, ok := index[e.From.V]
		to, known := index[e.To.V]
		if ok && known {
			next[from] = append(next[from], to)
		}
	}
	for _, ring := range scc.Cycles(next) {
		more := 0
		for _, e := range im.d.Edges {
			if most := e.Keys.Get("max_iterations"); most != nil && slices.Contains(ring, index[e.From.V]) && slices.Contains(ring, index[e.To.V]) {
				n, _ := strconv.Atoi(most.Text)
				more = min(more+n, 10000)
			}
		}
		for _, at := range ring {
			times[im.d.Nodes[at].Name.V] += more
		}
	}
	return times
}

// writeEdges adds the edges of the file to the draft, after the edges of retries.
func (im *importer) writeEdges() {
	for _, e := range im.edges {
		d := &draft.Edge{From: text{V: im.names.Known(e.from.V), Pos: e.from.Pos}, To: text{V: im.names.Known(e.to.V), Pos: e.to.Pos}}
		if when := strings.Join(strings.Fields(e.when.V), " "); when != "" {
			d.Keys.Set("when", draft.Text(when, e.when.Pos))
		}
		if e.most.IsSet() {
			d.Keys.Set("max_iterations", draft.Plain(strconv.Itoa(e.most.V), e.most.Pos))
		}
		im.d.Edges = append(im.d.Edges, d)
	}
	for _, e := range im.edges {
		if n := im.d.Node(im.names.Known(e.from.V)); n != nil && im.d.Open(n) {
			im.d.Head.Set("no_match", draft.Text("end", e.from.Pos))
			im.d.Head.Remark("no_match", "As in the workflow: a run ends at a node of which no edge is taken. With `error` it would fail there.")
			im.Note("GG359", e.from.Pos, "where no edge of "+yamlread.Quote(e.from.V)+" is taken, the run ends: no_match: end",
				"write no_match: error to make it a failure")
			return
		}
	}
}

// fanOut makes parallel what several edges without a condition begin.
func (im *importer) fanOut() {
	im.d.FanOut(im.names.Free, func(edges []*draft.Edge, made *draft.Node, problem string) {
		from := yamlread.Quote(edges[0].From.V)
		if made == nil {
			im.Error("GG362", edges[1].To.Pos, "several edges without a condition leave "+from+", but they cannot become branches: "+problem,
				"give all but one of them a condition; the program of the format follows the first one alone")
			return
		}
		made.Comment = "Several edges without a condition leave " + edges[0].From.V + ". The program of the format follows the first one alone."
		im.Warn("GG362", edges[1].To.Pos, "several edges without a condition leave "+from+": the graph runs their nodes concurrently, in "+made.Name.V,
			"the program of the format follows the first one alone: remove the others if that is meant")
	})
}
