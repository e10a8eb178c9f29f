package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

var processorPasses = []Pass{
	{Code: "GG197", run: processorNames},
	{Code: "GG390", run: processorSettings},
}

// A processor is a method of the handlers that a prompt or an answer passes through.
type processor struct {
	role string // as a message names it
	name spec.String
}

// processors lists the processors of a node that are methods.
func processors(n *spec.Node) []processor {
	var list []processor
	add := func(role string, names []spec.String) {
		for _, name := range names {
			if written(name) && !isWord(name.V, spec.Before) && !isWord(name.V, spec.After) {
				list = append(list, processor{role, name})
			}
		}
	}
	add("processor before", spec.ProcessorNames(n.Prompt.Before))
	add("processor after", spec.ProcessorNames(n.Prompt.After))
	return list
}

// processors lists the processors of the graph that can be methods, each once for its role.
func (c *context) processors() []processor {
	var list []processor
	reported := map[processor]bool{}
	for _, n := range c.graph.All() {
		for _, p := range processors(n.Spec) {
			if key := (processor{p.role, spec.String{V: p.name.V}}); goname.Valid(p.name.V) && !reported[key] {
				reported[key] = true
				list = append(list, p)
			}
		}
	}
	return list
}

func processorNames(c *context) {
	for _, n := range c.modelNodes() {
		p := &n.Spec.Prompt
		for _, list := range []struct {
			key        string
			names      []spec.String
			own, other []spec.Word
			instead    string
		}{{"before", spec.ProcessorNames(p.Before), spec.Before, spec.After, "after"},
			{"after", spec.ProcessorNames(p.After), spec.After, spec.Before, "before"}} {
			for _, name := range list.names {
				known := spec.Names(list.own)
				near, resembles := diag.Suggest(name.V, known)
				switch {
				case !written(name):
				case isWord(name.V, list.other):
					c.report(name.Pos,
						quote(name.V)+" of node "+quote(n.Spec.Name.V)+" is in "+list.key+", but works on "+
							map[string]string{"before": "answers", "after": "prompts"}[list.key], "write it in "+list.instead)
				case (name.V == "input_validator" || name.V == "state_summarizer") && !readsAny(n):
					c.report(name.Pos, quote(name.V)+" of node "+quote(n.Spec.Name.V)+" has nothing to do: the node reads nothing",
						"add reads, or "+diag.Remove("remove it"))
				case name.V == "output_truncator" && typed(n):
					c.report(name.Pos,
						quote(name.V)+" of node "+quote(n.Spec.Name.V)+" would cut its JSON off in the middle: the answer would never fit",
						diag.Remove("remove it")+", and bound the fields of the output, as in "+diag.Set("max_length", "4000"))
				case isWord(name.V, list.own):
				case !goname.Valid(name.V):
					help := "use one of " + strings.Join(known, ", ") + ", or a name of letters, digits, _ and -, with a letter first"
					c.report(name.Pos, "there is no processor "+quote(name.V)+", nor can a Go method have the name", didYouMean(name.V, known, help))
				case resembles:
					c.warn(name.Pos, "the processor "+quote(name.V)+" is a method of the handlers", diag.DidYouMean(near))
				}
			}
		}
	}
}

// typed reports whether the answer of a node's model is JSON.
func typed(n *resolve.Node) bool {
	return n.Kind.By != spec.ByModel || n.Out != nil && n.Out.Kind != resolve.String && !unknown(n.Out)
}

// processorSettings checks the settings of processors. What they are set to in the wrong list is a mistake of its own.
func processorSettings(c *context) {
	for _, n := range c.modelNodes() {
		for _, p := range slices.Concat(n.Spec.Prompt.Before, n.Spec.Prompt.After) {
			name := p.Name.V + " of node " + quote(n.Spec.Name.V)
			switch most := p.MaxLength; {
			case most.IsSet() && !most.Lost && most.V < 1:
				c.report(most.Pos, "max_length of "+name+" is below 1", "write the number of characters")
			case len(p.Keys) > 0 && typed(n):
				c.report(p.Keys[0].Pos, "keys of "+name+" have no effect: the answer has the members of its type",
					"remove them, or write the members into the output")
			case len(p.Keys) > 0:
				c.repeated(n, "key", p.Keys)
			case len(p.Fields) > 0:
				c.writtenFields(n, p.Fields)
			}
		}
	}
}

// binds reports whether the node writes all fields that state_writer names.
func binds(n *resolve.Node, fields []spec.Assignment) bool {
	return !slices.ContainsFunc(fields, func(a spec.Assignment) bool {
		return !slices.ContainsFunc(n.Writes, func(w resolve.Write) bool { return w.Name.Pos == a.Name.Pos })
	})
}

// writtenFields checks what state_writer writes.
func (c *context) writtenFields(n *resolve.Node, fields []spec.Assignment) {
	if n.Out != nil && (unknown(n.Out) || n.Out.Kind == resolve.External) {
		return
	}
	if n.Out == nil || n.Out.Kind != resolve.Struct {
		c.report(fields[0].Name.Pos, "fields of state_writer of node "+quote(n.Spec.Name.V)+" cannot be written: the answer is not a struct",
			"give the node an output with these members")
		return
	}
	for _, a := range fields {
		to, from := c.graph.State.Field(a.Name.V), n.Out.Field(a.Field.V)
		c.passedField(a.Name, to)
		switch {
		case !written(a.Field):
		case from == nil:
			c.report(a.Field.Pos, "the output of node "+quote(n.Spec.Name.V)+" has no field "+quote(a.Field.V),
				didYouMean(a.Field.V, fieldNames(n.Out, nil), listed("its fields are", fieldNames(n.Out, nil))))
		case to == nil || unknown(to.Type) || unknown(from.Type) || to.Spec.Unread || !isMerge(to.Merge):
		case !resolve.Accepts(to, from.Type):
			c.report(a.Name.Pos, "field "+quote(to.Name)+" is of type "+to.Type.String()+", but the output's is of type "+from.Type.String(),
				"give both one type",
				diag.Related{Pos: from.Spec.Name.Pos, Message: "the output's field is here"})
		case !binds(n, []spec.Assignment{a}):
			c.report(a.Name.Pos, "the node's writes name the field "+quote(to.Name)+" already", diag.Remove("remove one"))
		}
	}
}
