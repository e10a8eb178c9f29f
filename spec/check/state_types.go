package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// typePasses judge types, and the fields that nodes read and write.
var typePasses = []Pass{
	{Code: "GG030", run: unknownTypes},
	{Code: "GG032", run: enums},
	{Code: "GG033", run: recursiveTypes},
	{Code: "GG034", run: nestedOptionals},
	{Code: "GG035", run: limitsOfFields},
	{Code: "GG036", run: merges},
	{Code: "GG037", run: unknownFields},
	{Code: "GG038", run: unfitWrites},
	{Code: "GG039", run: unusedTypes},
}

// exprs visits every type that is written in the file.
func (c *context) exprs(f func(*spec.TypeExpr)) { c.spec.TypeExprs(f) }

func unknownTypes(c *context) {
	names := slices.Clone(resolve.BasicNames)
	for _, d := range c.spec.Types {
		names = append(names, d.Name.V)
	}
	suggester := &suggester{names: names}
	c.exprs(func(t *spec.TypeExpr) {
		known := c.graph.Type(t.Name) != nil || slices.Contains(resolve.BasicNames, t.Name)
		switch use, name, dotted := strings.Cut(t.Name, "."); {
		case t.Kind != spec.TypeNamed || t.Name == "" || known || c.spec.Unread && len(c.spec.Types) == 0:
		case dotted:
			c.unknownOfUse(t, use, name)
		case foreignTypes[t.Name] != "":
			c.report(t.Pos, "there is no type "+quote(t.Name), foreignTypes[t.Name])
		default:
			c.report(t.Pos, "there is no type "+quote(t.Name), suggester.suggest(t.Name, true, "declare it under types, or use string, int, float or bool"))
		}
	})
}

// foreignTypes are types as JSON Schema and other languages call them.
var foreignTypes = map[string]string{
	"number": "write float, or int for whole numbers", "integer": "write int", "boolean": "write bool",
	"float64": "write float", "double": "write float", "str": "write string", "text": "write string",
	"date":     "write time, or a string with " + diag.Set("format", "date"),
	"datetime": "write time", "timestamp": "write time", "null": "for T or nothing write ?T", "binary": "write bytes",
	"byte": "write bytes", "json": "write any",
	"object": "declare a struct, or write map[string]T; for JSON of any kind write any", "array": "write []T", "list": "write []T", "map": "write map[string]T",
}

// unknownOfUse reports a type that a used file does not declare.
func (c *context) unknownOfUse(t *spec.TypeExpr, use, name string) {
	u := c.useNamed(use)
	if u == nil || u.Graph == nil || c.graph.Used(use, name) != nil {
		return
	}
	var names []string
	for _, g := range u.Graphs() {
		for _, d := range g.Types {
			names = append(names, use+"."+d.Name.V)
		}
	}
	c.report(t.Pos, "the file "+quote(u.File.V)+" declares no type "+quote(name), didYouMean(t.Name, names, listed("it declares", names)))
}

func enums(c *context) {
	c.exprs(func(t *spec.TypeExpr) {
		if t.Kind != spec.TypeEnum {
			return
		}
		if len(t.Values) == 0 {
			c.report(t.Pos, "the enum has no values", "list them, as in "+diag.Item("{enum: [low, high]}"))
		}
		seen := map[string]spec.Pos{}
		for _, v := range t.Values {
			if was, ok := seen[v.V]; ok && written(v) {
				c.report(v.Pos, "the enum has the value "+quote(v.V)+" twice", diag.Remove("remove one"),
					diag.Related{Pos: was, Message: "the first one is here"})
				continue
			}
			seen[v.V] = v.Pos
		}
	})
}

// longestRing is how many types of a ring a message names.
const longestRing = 10

// recursiveTypes reports each struct that holds itself without end, once per ring. An
// optional, a list, a map and a union may be empty or another variant, and so end.
func recursiveTypes(c *context) {
	state := map[*resolve.Type]int{}
	var path []*resolve.Type
	var walk func(t *resolve.Type)
	walk = func(t *resolve.Type) {
		if t.Kind != resolve.Struct || state[t] == 2 {
			return
		}
		if state[t] == 1 {
			var names []string
			for _, p := range path[slices.Index(path, t):] {
				names = append(names, p.String())
			}
			if len(names) > longestRing {
				names = append(names[:longestRing/2:longestRing/2], "…", names[len(names)-1])
			}
			c.report(t.Pos, "type "+quote(t.String())+" holds itself: "+strings.Join(append(names, t.String()), " → "),
				"break the cycle with ? or []: a value that may be absent, or a list")
			return
		}
		state[t] = 1
		path = append(path, t)
		for _, f := range t.Fields {
			walk(f.Type)
		}
		path = path[:len(path)-1]
		state[t] = 2
	}
	for _, t := range c.graph.Types {
		walk(t)
	}
}

func nestedOptionals(c *context) {
	inner := map[*spec.TypeExpr]bool{}
	c.exprs(func(t *spec.TypeExpr) {
		if t.Kind != spec.TypeOptional || t.Elem == nil || t.Elem.Kind != spec.TypeOptional {
			return
		}
		inner[t.Elem] = true
		if !inner[t] {
			c.report(t.Pos, "an optional of an optional means the same as an optional", "write one ?")
		}
	})
}

// fields lists the written fields with what they resolve to, each once.
func (c *context) fields() []*resolve.Field {
	var out []*resolve.Field
	for _, t := range c.structs() {
		out = append(out, t.Fields...)
	}
	return out
}

// structs lists the state and the types whose fields are written: the fields of a prompt's output
// that is made of what it writes are the state's.
func (c *context) structs() []*resolve.Type {
	return slices.DeleteFunc(append([]*resolve.Type{c.graph.State}, c.graph.Types...), func(t *resolve.Type) bool {
		return t != c.graph.State && len(t.Fields) > 0 && c.graph.State.Field(t.Fields[0].Name) == t.Fields[0]
	})
}

func merges(c *context) {
	for _, f := range c.graph.State.Fields {
		if !written(f.Spec.Merge) || f.Type.Kind == resolve.Unknown {
			continue
		}
		if !isMerge(f.Merge) {
			c.report(f.Spec.Merge.Pos, "there is no merge rule "+quote(f.Merge),
				didYouMean(f.Merge, spec.Names(spec.Merges), "use one of "+strings.Join(spec.Names(spec.Merges), ", ")))
			continue
		}
		if why := c.unfitMerge(f); why != "" {
			c.report(f.Spec.Merge.Pos, "merge rule "+f.Merge+" does not fit field "+quote(f.Name)+" of type "+f.Type.String(), why)
		}
	}
}

// unfitMerge returns what a field lacks for its merge rule; empty: nothing.
func (c *context) unfitMerge(f *resolve.Field) string {
	number := func(t *resolve.Type) bool {
		return t.Kind == resolve.Int || t.Kind == resolve.Float || t.Kind == resolve.Duration
	}
	switch f.Merge {
	case "append":
		if f.Type.Kind != resolve.List {
			return "append adds to a list"
		}
	case "union":
		comparable := f.Type.Kind == resolve.List && slices.Contains([]resolve.Kind{
			resolve.String, resolve.Int, resolve.Float, resolve.Bool, resolve.Enum, resolve.Duration, resolve.Unknown,
		}, f.Type.Elem.Kind)
		if !comparable && f.Type.Kind != resolve.Map {
			return "union needs a map, or a list of strings, numbers, bools, durations or enums"
		}
	case "sum":
		if !number(f.Type) {
			return "sum needs an int, a float or a duration"
		}
	case "max", "min":
		given := c.graph.SetAtStart(f) || f.Spec.Unread || len(c.graph.Input.Fields) < len(c.spec.Input) || c.spec.Unread
		switch {
		case !number(f.Type.Base()):
			return f.Merge + " needs a number or a duration"
		case f.Type.Kind != resolve.Optional && !given:
			return "write the type as " + diag.OfType("?"+f.Type.String()) + ", name the field under input, or give it a default: otherwise the " +
				"zero that it starts with takes part"
		}
	}
	return ""
}

func unknownFields(c *context) {
	if c.spec.Unread && len(c.spec.State) == 0 {
		return // the state is what could not be read
	}
	var names []string
	known := make(map[string]bool, len(c.graph.State.Fields))
	for _, f := range c.graph.State.Fields {
		names = append(names, f.Name)
		known[f.Name] = true
	}
	for _, n := range c.spec.Nodes {
		known[n.Item.V] = true // else GG225 reports it
	}
	suggester := &suggester{names: names}
	check := func(what string, list []spec.String) {
		seen := map[string]spec.Pos{}
		for _, n := range list {
			was, repeated := seen[n.V]
			switch {
			case !written(n):
			case !known[n.V]:
				c.report(n.Pos, what+" names no field of the state: "+quote(n.V), suggester.suggest(n.V, true, addFieldAs(n.V, "string")))
			case repeated:
				c.report(n.Pos, what+" names the field "+quote(n.V)+" twice", diag.Remove("remove one"),
					diag.Related{Pos: was, Message: "the first one is here"})
			default:
				seen[n.V] = n.Pos
			}
		}
	}
	check("input", c.spec.Input)
	check("output", c.spec.Output)
	for _, n := range c.spec.Nodes {
		check("reads of node "+quote(n.Name.V), n.Reads)
		check("writes of node "+quote(n.Name.V), n.Writes)
		for _, g := range n.Guards {
			check("reads of guard "+quote(g.Name.V), g.Reads)
		}
		for _, e := range n.Evals {
			check("reads of eval "+quote(e.Name.V), e.Reads)
		}
	}
	for _, t := range c.spec.Tools {
		check("reads of tool "+quote(t.Name.V), t.Reads)
	}
	for _, e := range c.spec.Edges {
		check("reads of the edge", e.Reads)
	}
}

func unfitWrites(c *context) {
	for _, n := range c.graph.All() {
		if n.Body != nil || n.Spec.Output == nil && n.Fixed == nil || n.Out == nil || unknown(n.Out) || repeats(n.Spec.Writes) ||
			n.Kind.By == spec.ByModel && !modelGives(n.Out) {
			continue
		}
		for _, w := range n.Writes {
			if w.Turn || w.Record != nil {
				continue
			}
			whole := w.From == nil && resolve.Accepts(w.To, n.Out)
			switch {
			case whole || unknown(w.To.Type):
			case w.To.Spec.Unread || !isMerge(w.To.Merge): // it may be one that fits
			case w.From == nil && w.To.Type.Kind == resolve.List && resolve.Same(w.To.Type.Elem, n.Out):
				c.report(w.Name.Pos,
					"node "+quote(n.Spec.Name.V)+" writes "+quote(w.To.Name)+" of type "+w.To.Type.String()+", but its output is one element of that",
					"add "+diag.Set("merge", "append")+" to the field, or give the output the field's type")
			case w.From == nil && n.Out.Kind == resolve.Struct:
				var names []string
				for _, f := range n.Out.Fields {
					names = append(names, f.Name)
				}
				c.report(w.Name.Pos,
					"node "+quote(n.Spec.Name.V)+" writes "+quote(w.To.Name)+
						", but its output is not of type "+w.To.Type.String()+" and has no field of that name",
					didYouMean(w.To.Name, names, "add a field "+w.To.Name+" to the output, or write another field"))
			case w.From == nil:
				c.report(w.Name.Pos,
					"node "+quote(n.Spec.Name.V)+" writes "+quote(w.To.Name)+" of type "+w.To.Type.String()+
						", but its output is of type "+n.Out.String(), "give the output that type, or make it a struct with a field of that name")
			case !resolve.Accepts(w.To, w.From.Type) && !unknown(w.From.Type):
				c.report(w.Name.Pos,
					"field "+quote(w.To.Name)+" is of type "+w.To.Type.String()+", but the output's is of type "+w.From.Type.String(), "give both one type",
					diag.Related{Pos: w.From.Spec.Name.Pos, Message: "the output's field is here"})
			}
		}
	}
}

func isMerge(rule string) bool { return slices.Contains(spec.Names(spec.Merges), rule) }

// repeats reports whether a list has a name twice, which is a mistake of its own.
func repeats(list []spec.String) bool {
	seen := make(map[string]bool, len(list))
	for _, name := range list {
		if seen[name.V] {
			return true
		}
		seen[name.V] = true
	}
	return false
}

// unknown reports whether a type is, or is made of, one that does not exist.
func unknown(t *resolve.Type) bool {
	for t.Elem != nil {
		t = t.Elem
	}
	return t.Kind == resolve.Unknown
}

func unusedTypes(c *context) {
	var names []string
	for _, d := range c.spec.Types {
		names = append(names, d.Name.V)
	}
	used, compared := map[string]bool{}, 0
	unread := c.spec.Unread || slices.ContainsFunc(c.spec.Nodes, func(n *spec.Node) bool { return n.Unread }) ||
		slices.ContainsFunc(c.spec.Tools, func(t *spec.ToolDecl) bool { return t.Unread })
	c.exprs(func(t *spec.TypeExpr) {
		if t.Kind != spec.TypeNamed || used[t.Name] {
			return
		}
		used[t.Name] = true
		unread = unread || t.Name == ""
		if c.graph.Type(t.Name) == nil && !slices.Contains(resolve.BasicNames, t.Name) {
			if compared += len(names); compared > mostCompared {
				unread = true
				return
			}
			if meant, ok := diag.Suggest(t.Name, names); ok {
				used[meant] = true
			}
		}
	})
	if unread || c.spec.TypesOnly() {
		return // any of them may be used, here or in another file
	}
	for _, d := range c.spec.Types {
		if written(d.Name) && !used[d.Name.V] && d.Type != nil && d.Type.Kind != spec.TypeNamed {
			c.warn(d.Name.Pos, "type "+quote(d.Name.V)+" is not used", "use it, or "+diag.Remove("remove it"))
		}
	}
}
