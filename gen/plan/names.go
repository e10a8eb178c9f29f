package plan

import (
	"go/token"
	"go/types"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// Names are the names of what a machine has once.
type Names struct {
	Run, Table, Caller, Mutable, Timeout string // unexported
	Region                               string // the method that runs a region
	New, End                             string // exported: the constructor, the constant of the end
}

// findNames finds the names of what the machine has once. The shapes of its nodes are known.
func (m *Machine) findNames() {
	m.Names = Names{
		Run: m.Prefix + "Run", Table: m.Prefix + "Graph", Caller: m.Prefix + "Caller", Mutable: m.Prefix + "Mutable",
		Timeout: m.Prefix + "Timeout", Region: "runRegion", New: "New" + m.GoName, End: m.GoName + "End",
	}
	for _, n := range m.Nodes {
		if n.Shape.Run == m.Names.Region {
			m.Names.Region = "runRegions"
			break
		}
	}
	if m.Mutations != nil && m.HandlersMutate {
		m.nameMutations()
	}
}

// nameMutations names the constructors of the mutations that handlers may ask for.
func (m *Machine) nameMutations() {
	m.Mutations.Make = map[string]string{}
	for _, action := range spec.Actions {
		if m.Mutations.Allows(action.Name) && (action.Name != "retry_with" || m.Mutations.Update != nil) {
			m.Mutations.Make[action.Name] = m.GoName + goname.Exported(action.Name)
		}
	}
	if m.Mutations.Allows("add_node") {
		for _, t := range m.Mutations.Templates {
			t.Shape.Add = m.GoName + "Add" + t.GoName
		}
	}
}

// UnionNames are the names that a union gives the package that declares it.
type UnionNames struct {
	Method                 string // of its variants: what makes them its variants
	Encode, Decode, Schema string // functions
}

// NamesOf returns the names of a union.
func NamesOf(union *resolve.Type) UnionNames {
	name := union.GoName
	return UnionNames{Method: "is" + name, Encode: "Encode" + name, Decode: "Decode" + name, Schema: name + "JSONSchema"}
}

// tableName returns the name of the variable of a codec.
func tableName(t *resolve.Type) string { return goname.Unexported(t.GoName) + "JSON" }

// textName returns the name of the variable with the limits of a string.
func textName(t *resolve.Type, f *resolve.Field) string {
	return goname.Unexported(t.GoName) + f.GoName + "Text"
}

// branchVars returns the names of the variables that hold the branches of a fork: no words of Go, and no
// names that the function uses for something else.
func branchVars(c *Composite) []string {
	taken := map[string]bool{
		"branches": true, "m": true, "r": true, "f": true, "ctx": true, "err": true, "mark": true, "slices": true,
		goname.Kernel: true, goname.Pipeline: true,
	}
	for _, j := range c.Merges {
		taken[j.Len] = true
	}
	var vars []string
	for _, r := range c.Regions {
		name := localName(r.Name)
		for taken[name] || token.IsKeyword(name) || types.Universe.Lookup(name) != nil {
			name += "Branch"
		}
		taken[name] = true
		vars = append(vars, name)
	}
	return vars
}

// localName makes the name of a branch the name of a variable.
func localName(name string) string {
	name = strings.Map(func(c rune) rune {
		if c == '-' || c == '.' || c == ' ' {
			return '_'
		}
		return c
	}, name)
	var b strings.Builder
	for i, part := range strings.Split(name, "_") {
		if i > 0 && part != "" {
			part = strings.ToUpper(part[:1]) + part[1:]
		}
		b.WriteString(part)
	}
	return b.String()
}
