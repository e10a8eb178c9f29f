package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/gen/schema"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/compat"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/shape"
)

// Versions are the released versions of a graph, and what brings the threads of each to the next.
type Versions struct {
	Func      string // the function that returns what brings threads to the machine: ReviewVersions
	Interface string // of the migrations that the author writes: ReviewMigrations
	Methods   string // the type that has them: reviewMigrations
	Test      string // the test that brings samples of releases to the machine: TestReviewVersions
	Unsaved   string // the function that returns the state of a run of which nothing is saved: reviewUnsaved
	Number    int    // of the machine's own version: that of the last release, or the next one
	Hash      string // of the machine's shape
	Releases  []*Version

	Old     *Machine // the types of releases that migrations take and give; nil: none
	Aliases []Alias  // the names that migrations have for types of the machine
}

// A Version is a release.
type Version struct {
	Number    int
	Hash      string
	Maps      MapTable   // to the next version, as far as names decide
	Adds      []Added    // the fields of the state with a default that the next version has and this one has not
	Samples   []Sample   // of its threads
	Migration *Migration // to the next version; nil: it needs none
}

// An Added is a field of a state, with its default.
type Added struct {
	Field   *resolve.Field
	Default string // as JSON
}

// A Migration is a method that the author writes.
type Migration struct {
	From, To int
	Method   string // V3ToV4
	Old, New string // the types of the state
	File     string // that the author writes the method in: review_v3_to_v4.go
	By       string // the function of package versions that makes a step of the method
	Changes  []string
	Last     bool     // to the version of the machine
	Same     []string // the fields of the state that both versions have with the same plain type

	NodeMethod string   // V3ToV4Node; empty: every node at which threads may wait is there
	NodeFile   string   // review_v3_to_v4_node.go
	NodeBy     string   // the function of package versions that makes a step of it
	Lost       []string // the nodes that are not
}

// An Alias is another name of a type.
type Alias struct {
	Name   string
	Type   *resolve.Type
	Values []string // of an enum: the names of its constants
}

// LowerVersions plans what brings the threads of the releases in a lock file to the machine.
func LowerVersions(m *Machine, flow *cfg.Graph, lock *shape.Lock) *Versions {
	now := shape.Of(flow)
	l := &versioning{m: m, now: now, lock: lock,
		v: &Versions{Func: m.GoName + "Versions", Interface: m.GoName + "Migrations", Methods: m.Prefix + "Migrations",
			Unsaved: m.Prefix + "Unsaved", Test: "Test" + m.GoName + "Versions", Hash: now.Hash()}, needed: map[int]bool{}}
	steps := compat.Steps(lock, now)
	if len(steps) == 0 {
		l.v.Number = 1
		return l.v
	}
	l.v.Number = len(steps)
	if steps[len(steps)-1].Verdict != compat.Same {
		l.v.Number++
	}
	l.findSuffix()
	for _, step := range steps {
		l.v.Releases = append(l.v.Releases, l.release(step))
	}
	l.findOld()
	if l.needed[l.v.Number] {
		l.findAliases()
	}
	return l.v
}

// A versioning is the making of the Versions of a machine.
type versioning struct {
	m      *Machine
	now    *shape.Shape
	lock   *shape.Lock
	v      *Versions
	suffix string       // between the name of a type and the number of its version
	needed map[int]bool // the versions that migrations take or give
}

// findSuffix finds a suffix that no type of the machine has by itself.
func (l *versioning) findSuffix() {
	for l.suffix = "V"; slices.ContainsFunc(l.m.Types.Declared, func(t *resolve.Type) bool { return l.ends(t.GoName) }); {
		l.suffix += "V"
	}
}

// ends reports whether a name ends like the name of a type of a version.
func (l *versioning) ends(name string) bool {
	base := strings.TrimRight(name, "0123456789")
	return base != name && strings.HasSuffix(base, l.suffix)
}

// versioned returns the name of a type in a version.
func (l *versioning) versioned(name string, number int) string {
	return name + l.suffix + strconv.Itoa(number)
}

func (l *versioning) release(step *compat.Step) *Version {
	from := step.From.Number.V
	v := &Version{Number: from, Hash: step.From.Hash.V}
	next := l.now
	if step.To != nil {
		next = step.To.Shape
	}
	v.Maps = NewMapTable(compat.MapsOf(step.From.Shape, next))
	v.Adds = added(step.From.Shape, next)
	if v.Hash != l.v.Hash {
		v.Samples = samples(step.From.Shape, from)
	}
	if step.Verdict != compat.Migration {
		return v
	}
	l.needed[from], l.needed[from+1] = true, true
	m := &Migration{
		From: from, To: from + 1, Method: fmt.Sprintf("V%dToV%d", from, from+1),
		Old: l.versioned(l.m.Names.StateType, from), New: l.versioned(l.m.Names.StateType, from+1),
		Last: from+1 == l.v.Number, By: "Migrate", NodeBy: "Node",
	}
	stem := fmt.Sprintf("%s_v%d_to_v%d", l.m.Stem, from, from+1)
	m.File, m.NodeFile = stem+".go", stem+"_node.go"
	if m.Last { // the state of the machine has no codec
		m.By, m.NodeBy = "MigrateLast", "NodeLast"
	}
	for _, f := range next.State.Fields {
		if was := step.From.Shape.State.Field(f.Name); was != nil && isPlain(f.Type) && was.Type.String() == f.Type.String() {
			m.Same = append(m.Same, f.GoName)
		}
	}
	for _, c := range step.Changes {
		if c.Verdict != compat.Migration {
			continue
		}
		m.Changes = append(m.Changes, c.Message)
		if c.Lost != "" && !slices.Contains(m.Lost, c.Lost) {
			m.Lost = append(m.Lost, c.Lost)
			m.NodeMethod = m.Method + "Node"
		}
	}
	v.Migration = m
	return v
}

// isPlain reports whether a type is one of Go in every version.
func isPlain(t *resolve.Type) bool {
	switch t.Kind {
	case resolve.String, resolve.Int, resolve.Float, resolve.Bool, resolve.Duration, resolve.Time, resolve.Bytes:
		return true
	case resolve.List, resolve.Map, resolve.Optional:
		return isPlain(t.Elem)
	}
	return false
}

// added returns the fields with a default that the state of a newer version has, and the state of an older one does not.
func added(old, new *shape.Shape) (list []Added) {
	for _, f := range new.State.Fields {
		was := old.State.Field(f.Name)
		if f.Spec.Default == nil || was != nil || old.State.Field(f.Spec.RenamedFrom.V) != nil {
			continue
		}
		list = append(list, Added{f, schema.Default(f)})
	}
	return list
}

// findOld plans the types of releases that migrations take and give, as a machine of types alone.
func (l *versioning) findOld() {
	types := &spec.Graph{File: filepath.Join(filepath.Dir(l.lock.File), "versions"+spec.TypesSuffix), Codecs: spec.String{V: "all"}}
	states := map[string]bool{}
	for _, release := range l.lock.Releases {
		number := release.Number.V
		if !l.needed[number] || number == l.v.Number {
			continue
		}
		names := map[string]string{}
		for _, d := range release.Types {
			if d.Type.Kind != spec.TypeGo {
				names[d.Name.V] = l.versioned(goname.Exported(d.Name.V), number)
			}
		}
		for _, d := range release.Types {
			types.Types = l.declare(types.Types, names, d.Name.V, d.Type, release)
		}
		state := l.versioned(l.m.Names.StateType, number)
		states[state] = true
		types.Types = append(types.Types, &spec.TypeDecl{
			Name: spec.String{V: state}, Type: renamedTypes(&spec.TypeExpr{
				Kind: spec.TypeStruct, Fields: release.State,
				Doc: spec.String{V: state + " is the state of " + release.Title() + "."},
			}, names),
		})
	}
	if len(types.Types) == 0 {
		return
	}
	l.v.Old = Lower(cfg.Of(types), l.m.Package)
	l.v.Old.File = l.m.File
	for _, c := range l.v.Old.Types.Codecs {
		c.Partial = c.Partial || states[c.Type.GoName]
	}
}

// declare adds the declaration of a type of a release. Go types are there once, whatever the release.
func (l *versioning) declare(types []*spec.TypeDecl, names map[string]string, name string, t *spec.TypeExpr, release *shape.Release) []*spec.TypeDecl {
	if t.Kind == spec.TypeGo && slices.ContainsFunc(types, func(d *spec.TypeDecl) bool { return d.Name.V == name }) {
		return types
	}
	decl := &spec.TypeDecl{Name: spec.String{V: name}, Type: renamedTypes(t, names)}
	if versioned := names[name]; versioned != "" {
		decl.Name.V = versioned
		decl.Type.Doc = spec.String{V: versioned + " is " + name + " of " + release.Title() + "."}
	}
	return append(types, decl)
}

// renamedTypes returns a type expression with other names of types, and without places.
func renamedTypes(t *spec.TypeExpr, names map[string]string) *spec.TypeExpr {
	if t == nil {
		return nil
	}
	out := *t
	out.Elem, out.Fields, out.Variants, out.Renamed = renamedTypes(t.Elem, names), nil, slices.Clone(t.Variants), nil
	if name := names[t.Name]; name != "" && t.Kind == spec.TypeNamed {
		out.Name = name
	}
	for _, f := range t.Fields {
		field := *f
		field.Type, field.Merge, field.RenamedFrom = renamedTypes(f.Type, names), spec.String{}, spec.String{}
		out.Fields = append(out.Fields, &field)
	}
	for i := range out.Variants {
		out.Variants[i].Type = renamedTypes(t.Variants[i].Type, names)
	}
	return &out
}

// findAliases names the types of the machine as the types of its version.
func (l *versioning) findAliases() {
	names := l.now.TypeNames()
	seen := map[*resolve.Type]bool{}
	var visit func(t *resolve.Type, name string)
	visit = func(t *resolve.Type, name string) {
		if t == nil || seen[t] || t.Kind == resolve.Message || t.Kind == resolve.External {
			return
		}
		seen[t] = true
		if declared := names[t]; declared != "" {
			name = l.versioned(goname.Exported(declared), l.v.Number)
		}
		switch t.Kind {
		case resolve.Struct, resolve.Enum, resolve.Union:
			l.v.Aliases = append(l.v.Aliases, aliasOf(name, t))
		}
		visit(t.Elem, name)
		for _, f := range t.Fields {
			visit(f.Type, name+f.GoName)
		}
		for _, v := range t.Variants {
			visit(v.Type, name+goname.Exported(v.Label))
		}
	}
	visit(l.now.State, l.versioned(l.m.Names.StateType, l.v.Number))
	slices.SortFunc(l.v.Aliases, func(a, b Alias) int { return strings.Compare(a.Name, b.Name) })
}

// aliasOf returns the alias of a type, with names for the constants of an enum.
func aliasOf(name string, t *resolve.Type) Alias {
	a := Alias{Name: name, Type: t}
	for _, v := range t.Values {
		a.Values = append(a.Values, name+goname.Exported(v.Name))
	}
	return a
}

// Migrations returns the migrations, in the order of the releases.
func (v *Versions) Migrations() []*Migration {
	var list []*Migration
	for _, release := range v.Releases {
		if release.Migration != nil {
			list = append(list, release.Migration)
		}
	}
	return list
}

// String returns the plan of the versions as text.
func (v *Versions) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "version %d %s\n", v.Number, v.Hash)
	for _, r := range v.Releases {
		fmt.Fprintf(&b, "release %d %s\n", r.Number, r.Hash)
		if m := r.Migration; m != nil {
			fmt.Fprintf(&b, "  migration %s.%s(%s) %s\n", v.Interface, m.Method, m.Old, m.New)
			for _, c := range m.Changes {
				fmt.Fprintf(&b, "    %s\n", c)
			}
			if m.NodeMethod != "" {
				fmt.Fprintf(&b, "  nodes %s.%s of %s\n", v.Interface, m.NodeMethod, strings.Join(m.Lost, ", "))
			}
		}
		r.Maps.write(&b)
		for _, a := range r.Adds {
			fmt.Fprintf(&b, "  adds %s: %s\n", a.Field.Name, a.Default)
		}
	}
	for _, a := range v.Aliases {
		fmt.Fprintf(&b, "alias %s = %s\n", a.Name, a.Type.Go())
	}
	return b.String()
}
