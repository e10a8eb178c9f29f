package dataflow

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// Outside returns, by the number of a field, where the first value comes from that the author has not
// written: the input, a model, a tool, a person, or code that reads such a field. A field is nil
// in the result if only defaults, expressions of constants and code that reads nothing of the
// kind write it. The order of the nodes is not considered.
func (f *Flow) Outside() []*Source {
	o := &outside{flow: f, sources: make([]*Source, len(f.Fields)), readers: make([][]int, len(f.Fields))}
	for i := range f.Fields {
		if f.Given.Has(i) {
			o.mark(i, &Source{What: "the input"})
		}
	}
	if m := f.Graph.Spec.Mutations; m != nil {
		for _, field := range append(m.Update[:len(m.Update):len(m.Update)], m.Writes...) {
			o.mark(f.number[field], &Source{What: "a change of the graph"})
		}
	}
	for _, n := range f.Graph.Spec.All() {
		o.add(n)
	}
	for len(o.work) > 0 {
		field := o.work[len(o.work)-1]
		o.work = o.work[:len(o.work)-1]
		for _, at := range o.readers[field] {
			p := o.passages[at]
			o.mark(p.to, p.source)
		}
		o.readers[field] = nil
	}
	return o.sources
}

// A Source is where a value comes from that the author has not written.
type Source struct {
	What string        // the input, or what of Node gives the value
	Node *resolve.Node // nil: none
}

// String returns the source in words.
func (s *Source) String() string {
	if s.Node == nil {
		return s.What
	}
	return s.What + " of node \"" + s.Node.Spec.Name.V + "\""
}

type outside struct {
	flow     *Flow
	sources  []*Source
	passages []passage
	readers  [][]int // by field, the passages of what reads it
	work     []int
}

// A passage is a write of a node that depends on fields that the node reads.
type passage struct {
	to     int
	source *Source
}

func (o *outside) mark(field int, s *Source) {
	if o.sources[field] == nil {
		o.sources[field] = s
		o.work = append(o.work, field)
	}
}

// add adds the writes of a node: values of its own are marked, others depend on what it reads.
func (o *outside) add(n *resolve.Node) {
	own := ""
	switch {
	case n.Asks:
		own = "the answer"
	case n.Kind.By == spec.ByTool:
		own = "the result"
	case n.Kind.By == spec.ByPerson:
		own = "the reply"
	case n.Kind.By == spec.ByGraph:
		own = "the output"
	}
	var values []*expr.Expr
	if n.Kind.Sets {
		values = o.flow.Graph.Values(n)
	}
	for i, w := range n.Writes {
		switch {
		case w.To == nil:
		case own != "":
			o.mark(o.flow.number[w.To], &Source{own, n})
		case i < len(values):
			fields, known := o.flow.Reads(values[i])
			o.depend(w.To, &Source{"an expression", n}, fields, !known)
		default:
			o.depend(w.To, &Source{"the code", n}, o.numbers(n.Reads), n.TakesState)
		}
	}
	if n.Item != nil && n.Over != nil {
		o.depend(n.Item, &Source{"an element", n}, []int{o.flow.number[n.Over]}, false)
	}
}

func (o *outside) numbers(fields []*resolve.Field) []int {
	numbers := make([]int, len(fields))
	for i, field := range fields {
		numbers[i] = o.flow.number[field]
	}
	return numbers
}

// depend adds a passage from fields, or from any field, to a field.
func (o *outside) depend(to *resolve.Field, s *Source, from []int, any bool) {
	at := len(o.passages)
	o.passages = append(o.passages, passage{o.flow.number[to], s})
	if any {
		from = make([]int, len(o.readers))
		for i := range from {
			from[i] = i
		}
	}
	for _, field := range from {
		o.readers[field] = append(o.readers[field], at)
	}
}
