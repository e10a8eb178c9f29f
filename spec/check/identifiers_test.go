package check_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
)

var (
	renames    = flag.Int("renames", 400, "how many names to give identifiers of generated code; 0: each name of the graphs each identifier")
	renameSeed = flag.Uint64("rename_seed", 32, "chooses them")
)

// together is how many names of a graph are changed for one build.
const together = 8

// A renaming tries what becomes of graphs whose names are identifiers that generated code and the kernel use.
type renaming struct {
	t        *testing.T
	compiler *compiler

	tried, accepted, failed int
}

// A rename gives a name of a graph an identifier.
type rename struct{ from, to string }

// TestIdentifiersAsNames gives names of golden graphs the identifiers that generated code and the kernel use: what passes
// builds. Identifiers that the sample leaves out are tried with -renames 0.
func TestIdentifiersAsNames(t *testing.T) {
	ids := identifiers(t)
	random := rand.New(rand.NewPCG(*renameSeed, 0))
	r := &renaming{t: t, compiler: newCompiler(t)}
	type base struct {
		text  string
		names []string
	}
	var bases []base
	all := 0
	for _, file := range glob(t, "../../golden/*/*.graph.yaml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if g := passing(string(text)); g != nil {
			bases = append(bases, base{string(text), namesOf(g)})
			all += len(bases[len(bases)-1].names)
		}
	}
	most := *renames
	if testing.Short() {
		most /= 8
	}
	if most == 0 {
		for _, b := range bases {
			r.each(b.text, b.names, ids)
		}
	} else {
		for r.tried < most {
			b := bases[random.IntN(len(bases))]
			list := make([]rename, 0, together)
			for _, i := range random.Perm(len(b.names))[:min(together, len(b.names))] {
				list = append(list, rename{b.names[i], ids[random.IntN(len(ids))]})
			}
			r.try(b.text, list)
		}
	}
	t.Logf("%d names of %d graphs, %d identifiers (seed %d): %d pairs tried, %d accepted, %d failed", all, len(bases), len(ids),
		*renameSeed, r.tried, r.accepted, r.failed)
	if r.accepted*2 < r.tried {
		t.Error("few are accepted")
	}
}

// TestMembersAsNames gives nodes the names of fields and methods that every generated run and machine may have, and what these
// end in. Graphs that the sample leaves out are tried with -renames 0.
func TestMembersAsNames(t *testing.T) {
	const prompts = "{kind: prompt, instructions: Hi., reads: s, writes: s, MORE}\n"
	texts := map[string]string{
		"a prompt": "graph: g\nentry: a\nSECTION\nstate: {s: string}\ninput: s\noutput: s\nnodes:\n  a: " + strings.Replace(prompts,
			"MORE", "next: b", 1) + "  b: " + strings.Replace(prompts, "MORE", "next: end", 1),
		"a change": "graph: g\nentry: a\nstate: {s: string}\ninput: s\noutput: s\nmutations: {allow: add_node, kinds: prompt, " +
			"writes: s}\nnodes:\n  a: " + strings.Replace(prompts, "MORE", "mutates: true, next: end", 1),
	}
	texts["a durable prompt"] = strings.Replace(texts["a prompt"], "SECTION", "durable: true", 1)
	texts["a prompt"] = strings.Replace(texts["a prompt"], "SECTION", "doc: Hi.", 1)
	var members []string
	for _, member := range slices.Concat(plan.OfRun, plan.OfMachine) {
		words := regexp.MustCompile(`[A-Z]?[a-z]+`).FindAllString(member, -1)
		for i := range words {
			members = append(members, goname.Unexported(strings.Join(words[i:], "_")))
		}
	}
	slices.Sort(members)
	members = slices.Compact(members)
	r := &renaming{t: t, compiler: newCompiler(t)}
	for _, text := range texts {
		r.each(text, []string{"a"}, tier.Some(t, 60, len(members), members))
	}
	t.Logf("%d pairs tried, %d accepted, %d failed", r.tried, r.accepted, r.failed)
	if r.accepted*10 < r.tried*9 {
		t.Error("few are accepted")
	}
}

// each gives each name each identifier: several names at a time, each another identifier.
func (r *renaming) each(text string, names, ids []string) {
	for first := 0; first < len(names); first += together {
		some := names[first:min(first+together, len(names))]
		for shift := range ids {
			list := make([]rename, len(some))
			for i, name := range some {
				list[i] = rename{name, ids[(shift+i*len(ids)/together)%len(ids)]}
			}
			r.try(text, list)
		}
	}
}

// try builds a graph with changed names. Of a graph that is refused it tries each half of the changes.
func (r *renaming) try(text string, list []rename) {
	changed := text
	for i, c := range list {
		changed = renamed(changed, c.from, "qq"+strings.Repeat("z", i+1)) // an identifier may be a name that comes later
	}
	for i, c := range list {
		changed = renamed(changed, "qq"+strings.Repeat("z", i+1), c.to)
	}
	g := passing(changed)
	switch {
	case g != nil:
		r.tried += len(list)
		r.accepted += len(list)
		if err := r.compiler.build(g); err != nil {
			r.failed++
			r.t.Errorf("%v is accepted, and does not build: %v", list, err)
		}
	case len(list) == 1:
		r.tried++
	default:
		r.try(text, list[:len(list)/2])
		r.try(text, list[len(list)/2:])
	}
}

// renamed gives a name another one, also where it is a part of a Go name in a condition.
func renamed(text, from, to string) string {
	text = regexp.MustCompile(`\b`+regexp.QuoteMeta(from)+`\b`).ReplaceAllLiteralString(text, to)
	if exported := goname.Exported(from); exported != from {
		inGo := regexp.MustCompile(`([^A-Za-z0-9_]|[a-z0-9])` + exported + `([^a-z]|$)`)
		text = inGo.ReplaceAllString(text, "${1}"+goname.Exported(to)+"${2}")
	}
	return text
}

// namesOf returns the names that an author gives, without repetitions.
func namesOf(g *spec.Graph) []string {
	names := map[string]bool{}
	add := func(s spec.String) {
		if goname.Valid(s.V) {
			names[s.V] = true
		}
	}
	add(g.Name)
	ofType := func(t *spec.TypeExpr) {
		for _, f := range t.Fields {
			add(f.Name)
		}
		for _, v := range t.Values {
			add(v)
		}
		for _, v := range t.Variants {
			add(v.Label)
		}
	}
	g.TypeExprs(ofType)
	for _, t := range g.Types {
		add(t.Name)
	}
	for _, f := range g.State {
		add(f.Name)
	}
	for _, n := range g.Nodes {
		add(n.Name)
		for _, s := range n.GuardNames() {
			add(s)
		}
		for _, e := range n.Evals {
			add(e.Name)
		}
		for _, b := range n.Branches {
			add(b.Name)
		}
	}
	for _, t := range g.Tools {
		add(t.Name)
		for _, a := range t.Args {
			add(a.Name)
		}
	}
	for _, e := range g.Edges {
		for _, l := range e.Branch {
			add(l.Name)
		}
	}
	for _, t := range g.Templates {
		add(t.Name)
		for _, p := range t.Params {
			add(p.Name)
		}
	}
	for _, s := range g.MCP {
		add(s.Name)
	}
	return slices.Sorted(maps.Keys(names))
}

// identifiers returns the identifiers that the generated code of the golden graphs has beside the names of the authors, what
// they end in, and the exported ones of the packages that it imports.
func identifiers(t *testing.T) []string {
	found := map[string]bool{}
	add := func(id string) {
		for i, c := range id {
			if i == 0 || unicode.IsUpper(c) && id[i:] != id {
				if goname.Valid(id[i:]) {
					found[id[i:]] = true
				}
			}
		}
	}
	for _, file := range glob(t, "../../golden/*/*.graph.yaml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g, _ := spec.Load("g.graph.yaml", text)
		if g == nil || diag.HasErrors(check.Run(cfg.Of(g))) {
			continue
		}
		names := namesOf(g)
		emitted, err := golang.Emit(plan.Lower(cfg.Of(g), "p"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range emitted {
			ofFile(t, string(f.Content), false, func(id string) {
				if !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(strings.ToLower(id), strings.ToLower(goname.Exported(n))) }) {
					add(id)
				}
			})
		}
	}
	for _, pattern := range []string{"", "chat/", "mutation/", "thread/", "runtime/chatjson/", "runtime/codec/", "runtime/durable/", "runtime/engine/",
		"runtime/media/", "runtime/pipeline/", "runtime/versions/"} {
		for _, file := range glob(t, "../../"+pattern+"*.go") {
			if source, err := os.ReadFile(file); err != nil {
				t.Fatal(err)
			} else if !strings.HasSuffix(filepath.Base(file), "_test.go") {
				ofFile(t, string(source), true, func(id string) { found[id] = true })
			}
		}
	}
	for _, id := range slices.Concat(goname.Predeclared, goname.Hiding, goname.Imported, goname.Standard) {
		found[id] = true
	}
	for id := token.BREAK; id <= token.VAR; id++ {
		found[id.String()] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// ofFile calls add for the identifiers of a Go file.
func ofFile(t *testing.T, source string, exported bool, add func(id string)) {
	file, err := parser.ParseFile(token.NewFileSet(), "f.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && (!exported || id.IsExported()) {
			add(id.Name)
		}
		return true
	})
}
