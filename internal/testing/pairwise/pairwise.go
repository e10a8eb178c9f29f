// Package pairwise makes graph specs that combine the features of the language: a node of every kind
// with every key, flag, edge, condition, limit and wrapper, two and three of them at a time.
//
// The features are the rows of package spec's tables. A row whose values cannot be
// made up of its form alone has them in the tables of values.go.
package pairwise

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
)

// An Option is one thing that a spec may have: a value of a key, a flag, an edge.
type Option struct {
	Name   string
	group  string // options of one group exclude one another; empty: of none
	effect effect
}

// Row is what the option is one value of.
func (o Option) Row() string { return cmp.Or(o.group, o.Name) }

// Excludes reports whether no spec can have both options.
func (o Option) Excludes(p Option) bool { return o.group != "" && o.group == p.group }

// A Case is a kind of node and the options that its spec has.
type Case struct {
	Kind    string
	Options []Option
}

// String names the case.
func (c Case) String() string {
	names := []string{c.Kind}
	for _, o := range c.Options {
		names = append(names, o.Name)
	}
	return strings.Join(names, " | ")
}

// Spec returns the text of the case's spec. The graph is called p and the number; so that several
// graphs can share a Go package, the names of its types end in the number.
func (c Case) Spec(number int) string {
	g := newGraph(c.Kind)
	for _, o := range c.Options {
		g.apply(o.effect)
	}
	return strings.NewReplacer("$x", g.name, "$n", fmt.Sprint(number)).Replace(g.text())
}

// Accepted reads a spec, and returns what is wrong with it. Every file of a prompt has the same text.
func Accepted(file, text string) (*spec.Graph, []diag.Diagnostic) {
	g, found := spec.Load(file, []byte(text))
	if g != nil && !diag.HasErrors(found) {
		link.Texts(g, func(string) ([]byte, error) { return []byte("Say {{text}}.\r\n"), nil })
		found = append(found, check.Run(cfg.Of(g))...)
	}
	return g, slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
}

// Options are all that a spec with a node of a kind may have.
func Options(kind string) []Option {
	var out []Option
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			if m.Name != "node" || k.Name != "kind" && (k.Kinds == nil || slices.Contains(k.Kinds, kind)) {
				out = append(out, optionsOf(m, k)...)
			}
		}
	}
	return append(out, freeOptions()...)
}

// Durable are the options of a kind that make its graph durable: the first does no more, the others have secret fields and transactions.
func Durable(kind string) []Option {
	return slices.DeleteFunc(Options(kind), func(o Option) bool {
		return o.Name != "graph.durable=true" && !strings.Contains(o.Name, "secret: true") && !strings.Contains(o.Name,
			"transaction=true") && !strings.Contains(o.Name, "transaction: true")
	})
}

// optionsOf are the options that a row of the language makes.
func optionsOf(m spec.Mapping, k spec.Key) (out []Option) {
	id := m.Name + "." + k.Name
	if slices.Contains(settled, id) {
		return nil
	}
	add := func(name string, e effect) {
		out = append(out, Option{Name: id + "=" + name, group: strings.TrimPrefix(id, "state "), effect: e})
	}
	switch m.Name {
	case "types file":
	case "text file":
		for _, key := range []string{"instructions", "message", "perspective"} {
			add("of "+key, effect{needs: keys{key: "{file: said.md}"}})
		}
	case "field", "state field":
		for _, text := range fieldsWith(k) {
			add("read "+text, effect{state: keys{"given": text}, reads: []string{"given"}})
			add("written "+text, effect{state: keys{"taken": text}, writes: []string{"taken"}})
			if m.Name == "field" {
				add("in an output "+text, effect{types: keys{"Made$n": "{made: " + text + "}"}, node: keys{"output": "Made$n"}})
				add("in an argument "+text, effect{find: keys{"args": "{query: string, made: " + text + "}"}, needs: keys{"tools": "[find]"}})
			}
		}
	default:
		for _, v := range valuesOf(id, k) {
			e := placeOf(m.Name, id, v.text).replace("$k", k.Name, "$v", v.text)
			e.needs = e.needs.and(v.with)
			add(v.text, e)
		}
	}
	return out
}

// valuesOf are the values of a row: values of the tables, else values of its form.
func valuesOf(id string, k spec.Key) []value {
	if list := rowValues[id]; list != nil {
		return list
	}
	switch k.Form {
	case spec.FormWord:
		return plain(spec.Names(k.Words)...)
	case spec.FormBool:
		return plain("true", "false")
	case spec.FormInt:
		return plain("1", "2", "7")
	case spec.FormNumber:
		return plain("0.5", "2")
	case spec.FormDuration:
		return plain("1s", "7s", "100ms")
	case spec.FormText, spec.FormPrompt:
		return texts
	}
	return nil
}

// fieldsWith are fields that have a key.
func fieldsWith(k spec.Key) []string {
	var out []string
	switch {
	case fieldTexts[k.Name] != nil:
		return fieldTexts[k.Name]
	case k.Name == "merge":
		for _, w := range k.Words {
			for _, t := range mergeTypes[w.Name] {
				out = append(out, "{type: "+t+", merge: "+w.Name+"}")
			}
		}
	case k.Form == spec.FormWord:
		for _, w := range k.Words {
			out = append(out, "{type: string, "+k.Name+": "+w.Name+"}")
		}
	default:
		for _, v := range valuesOf("field."+k.Name, k) {
			out = append(out, "{"+k.Name+": "+v.text+"}")
		}
	}
	return out
}

// Missing lists the rows of the language of which no option is made.
func Missing() (missing []string) {
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			id := m.Name + "." + k.Name
			if m.Name != "types file" && !slices.Contains(settled, id) && len(optionsOf(m, k)) == 0 {
				missing = append(missing, id)
			}
		}
	}
	for _, w := range spec.Kinds {
		if baselines[w.Name] == nil {
			missing = append(missing, "kind "+w.Name)
		}
	}
	return missing
}

// freeOptions are those that are no rows of mappings: flags, edges, conditions, names, wrappers.
func freeOptions() (out []Option) {
	add := func(name, group string, e effect) { out = append(out, Option{Name: name, group: group, effect: e}) }
	for _, f := range spec.Flags {
		add("flag "+f.Name, "flag "+f.Name, placeOf("flag", "flag", f.Name).replace("$v", f.Name))
	}
	for i, text := range conditions {
		to := []string{"other", "end", "$x, max_iterations: 2"}[i%3]
		add("if "+text, "", effect{edges: []string{fmt.Sprintf("{from: $x, if: %q, to: %s}", text, to)}})
	}
	for _, e := range edgeForms {
		add("edge "+e, "", effect{edges: []string{e}})
	}
	for _, name := range nodeNames {
		add("name "+name, "name", effect{name: name})
	}
	for _, c := range children {
		add("child "+c, "child", effect{child: c})
	}
	for _, kind := range spec.Names(spec.Kinds) {
		if wrappers[kind] != "" {
			add("in a "+kind, "wrapper", effect{wrapper: kind})
		}
	}
	add("no edge that is always taken", "", effect{noWay: true})
	return out
}
