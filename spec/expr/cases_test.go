package expr

import (
	"fmt"
	"go/build"
	"go/constant"
	"go/importer"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// typed types conditions on the output of a node.
func typed(t testing.TB, conditions ...string) []*Expr {
	t.Helper()
	g, found := spec.Load("g.graph.yaml", []byte("graph: g\nentry: a\ntypes: {Verdict: {enum: [good, bad, odd]}}\nstate: {n: int}\ninput: [n]\nnodes:\n"+
		"  a: {output: {count: int, rank: int, done: bool, ok: bool, score: float, name: string, verdict: Verdict}}\n"))
	if len(found) > 0 {
		t.Fatal(found)
	}
	r := resolve.Resolve(g)
	p := NewPackage(r)
	list := make([]*Expr, len(conditions))
	for i, text := range conditions {
		list[i] = In(p.Condition(r.Nodes[0], ""), spec.String{V: text}, Bool)
		list[i].Typed()
	}
	return list
}

var someConditions = []string{
	"out.Done", "out.Ok", "!$", "$ && $", "$ || $", "($)", "out.Done == $", "$ != out.Ok",
	"out.Count > 1", "out.Count <= 1", "2 > out.Count", "out.Count == 3", "3 != out.Count", "out.Count < out.Rank",
	"out.Rank <= out.Count", "out.Count == out.Rank", "out.Rank != out.Count",
	"out.Verdict == VerdictGood", "VerdictBad == out.Verdict", "out.Verdict != VerdictOdd", "out.Verdict > VerdictGood", "out.Verdict == VerdictOdd",
	"out.Score < 0.5", "out.Score >= 0.5", "out.Score == 0.5", "out.Score != 0.5", "0.75 > out.Score",
	`out.Name == ""`, `out.Name != ""`, `out.Name < "b"`, `"b" <= out.Name`, `out.Name == "b"`,
}

func someCondition(r *rand.Rand, depth int) string {
	c := someConditions[r.IntN(len(someConditions))]
	for depth == 0 && strings.Contains(c, "$") {
		c = someConditions[r.IntN(len(someConditions))]
	}
	for strings.Contains(c, "$") {
		c = strings.Replace(c, "$", "("+someCondition(r, depth-1)+")", 1)
	}
	return c
}

// given evaluates a condition for random values: as a constant expression, by the Go type
// checker.
func given(t *testing.T, r *rand.Rand) func(condition string) bool {
	pick := func(values ...string) string { return values[r.IntN(len(values))] }
	values := strings.NewReplacer(
		"out.Done", pick("true", "false"), "out.Ok", pick("true", "false"),
		"out.Count", fmt.Sprint(r.IntN(6)-1), "out.Rank", fmt.Sprint(r.IntN(6)-1),
		"out.Score", pick("0.1", "0.5", "0.6", "0.75", "1.5"), "out.Name", pick(`""`, `"a"`, `"b"`, `"ba"`, `"c"`),
		"out.Verdict", pick("1", "2", "3"), "VerdictGood", "1", "VerdictBad", "2", "VerdictOdd", "3",
	)
	return func(condition string) bool {
		v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, values.Replace(condition))
		if err != nil {
			t.Fatalf("%s: %v", condition, err)
		}
		return constant.BoolVal(v.Value)
	}
}

func TestAlways(t *testing.T) {
	found := 0
	tries := tier.Pick(100, 600, 4000)
	for d := range tier.Draws(t, tries) {
		r := d.Rand()
		text := someCondition(r, r.IntN(2)) + []string{" && ", " || "}[r.IntN(2)] + someCondition(r, r.IntN(2))
		always := typed(t, text)[0].Typed().Always
		if always == "" {
			continue
		}
		found++
		for range 40 {
			if holds := given(t, r)(text); always != fmt.Sprint(holds) {
				t.Fatalf("%s is said to be always %s, but it can be %v", text, always, holds)
			}
		}
	}
	if found < tries/200 && !tier.Alone() {
		t.Errorf("only %d of the conditions are always the same", found)
	}
}

func TestUncovered(t *testing.T) {
	covered := 0
	tries := tier.Pick(100, 600, 4000)
	for d := range tier.Draws(t, tries) {
		r := d.Rand()
		var conditions []string
		for range 1 + r.IntN(4) {
			conditions = append(conditions, someCondition(r, r.IntN(2)))
		}
		if r.IntN(3) == 0 {
			conditions = append(conditions, "!("+strings.Join(conditions, " || ")+")")
		}
		list := typed(t, conditions...)
		w := NewCases(list[0].Scope.pkg, GaveOutput)
		for _, x := range list {
			if x.Tree == nil || x.Typed().info.Types == nil {
				t.Fatalf("%s: %v", x.Written.V, x.Typed().Mistake)
			}
			w.Add(w.Of(x.Typed()))
		}
		if _, open := w.Uncovered(); open {
			continue
		}
		covered++
		for range 40 {
			holds, any := given(t, r), false
			for _, text := range conditions {
				any = any || holds(text)
			}
			if !any {
				t.Fatalf("none holds of %q", conditions)
			}
		}
	}
	if covered < tries*3/40 {
		t.Errorf("only %d of the sets of conditions cover every case", covered)
	}
}

// The stubs stand for the standard library: a signature that differs would let through
// what does not build.
func TestStubs(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output() // a binary with trimmed paths does not have it
	if err != nil {
		t.Fatal(err)
	}
	build.Default.GOROOT = strings.TrimSpace(string(root))
	library := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for _, s := range stubs {
		real, err := library.Import(s.path)
		if err != nil {
			t.Fatal(err)
		}
		stub := standardLibrary()[s.name].Scope()
		for _, name := range stub.Names() {
			want, got := real.Scope().Lookup(name), stub.Lookup(name)
			if want == nil {
				t.Errorf("%s has no %s", s.path, name)
				continue
			}
			// A constant's text has its value.
			show := func(o types.Object) string { return types.ObjectString(o, (*types.Package).Name) }
			if _, ok := got.(*types.TypeName); ok && s.name != "cmp" {
				for method := range got.Type().(*types.Named).Methods() {
					real, _, _ := types.LookupFieldOrMethod(want.Type(), false, nil, method.Name())
					if real == nil || show(real) != show(method) {
						t.Errorf("got  %s\nwant %v", show(method), real)
					}
				}
				continue
			}
			if s.name != "cmp" && show(want) != show(got) {
				t.Errorf("got  %s\nwant %s", show(got), show(want))
			}
		}
	}
}

func TestTypeAtOnce(t *testing.T) {
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			list := typed(t, `slices.Contains([]string{"a"}, out.Name)`, "slices.Max([]int{out.Count}) > 1",
				"strings.Contains(out.Name, state)", "math.Abs(out.Score) > math.Pi")
			if list[0].Typed().Mistake != nil || list[2].Typed().Mistake == nil {
				t.Error("wrong")
			}
		})
	}
	wait.Wait()
}

func BenchmarkConditions(b *testing.B) {
	forms := []string{
		"out.Score > 0.%d", "out.Count == %d && !out.Done", "out.Verdict == VerdictGood && out.Count > %d", "strings.Contains(out.Name, \"%d\")",
		"len(out.Name) > %d", "state.N < %d || res.Err != nil", "slices.Contains([]string{\"a\", \"b\"}, out.Name) && out.Rank > %d",
		"out.Ok && out.Count + out.Rank > %d",
	}
	for _, n := range []int{100, 1000} {
		var conditions []string
		for i := range n {
			conditions = append(conditions, fmt.Sprintf(forms[i%len(forms)], i+1))
		}
		b.Run(fmt.Sprint("conditions=", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, x := range typed(b, conditions...) {
					if m := x.Typed().Mistake; m != nil {
						b.Fatal(m)
					}
				}
			}
		})
	}
}
