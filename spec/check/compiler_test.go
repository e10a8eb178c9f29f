package check_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
)

// conditionSpec is a graph whose conditions can look at something of every type. Every
// condition leaves a node of its own.
func conditionSpec(conditions []string) []byte {
	var nodes, edges strings.Builder
	for i, c := range conditions {
		fmt.Fprintf(&nodes, "  n%d: {output: Out}\n", i)
		fmt.Fprintf(&edges, "  - {from: n%d, to: n%d, if: %q}\n", i, (i+1)%len(conditions), c)
	}
	return []byte("graph: g\nentry: n0\nno_match: end\ntypes:\n  Verdict: {enum: [good, bad, odd]}\n" +
		"  Place: {city: string, rank: {type: int}}\n" +
		"  Out: {score: float, count: int, done: bool, name: string, verdict: Verdict, place: Place, rest: \"?int\", tags: " +
		"\"[]string\", ranks: \"map[string]int\", where: \"?Place\", all: \"[]Verdict\", at: time, took: duration, raw: any}\n" +
		"state: {total: int, note: string, last: \"?Verdict\"}\ninput: [total, note, last]\nnodes:\n" + nodes.String() + "edges:\n" + edges.String())
}

// forms are what conditions are made of, by what they give: $b stands for a bool, $n for
// an int, $f for a float, $s for a string, $v for an enum, $t for a time, $d for a duration, $x for anything.
var forms = map[byte][]string{
	'b': {
		"out.Done", "res.Cached", "true", "!$b", "($b)", "$b && $b", "$b || $b", "$b == $b", "$n < $n", "$n >= $n", "$n != $n",
		"$f > $f", "$f == $f", "$s == $s", "$s < $s",
		"$v == $v", "$v != $v", "$v > $v", "out.Place == $x", "strings.Contains($s, $s)", "strings.HasPrefix($s, $s)",
		"slices.Contains(out.Tags, $s)", "slices.Contains([]Verdict{$v, $v}, $v)",
		"slices.Equal(out.Tags, []string{$s})", "math.IsNaN($f)", "utf8.ValidString($s)", "out.Where != nil", "state.Last == nil",
		"res.Err != nil", "map[Verdict]bool{VerdictGood: $b}[$v]", "bool($b)",
		"$t.Before($t)", "$t.IsZero()", "$d > $d", "$d == $d", "$t.Month() == time.May", "out.Raw != nil",
		"slices.Contains([]string{$s, $s}, $s)", "$n != 1 || $n != 2",
	},
	'n': {
		"out.Count", "state.Total", "*out.Rest", "out.Place.Rank", "res.Step", "res.Visit", "0", "1", "3", "-1", "1 << 8",
		"len($s)", "len(out.Tags)", "$n + $n", "$n * $n", "$n / $n", "$n % $n",
		"$n << $n", "$n >> $n", "$n &^ $n", "-$n", "^$n", "min($n, $n)", "max($n, 3)", "int($f)", "utf8.RuneCountInString($s)",
		"strings.Index($s, $s)", "slices.Index(out.All, $v)", "out.Ranks[$s]", "slices.Max([]int{$n, $n})", "$t.Year()", "len(out.Raw)",
	},
	'f': {"out.Score", "0.5", "1", "1e100", "$f + $f", "$f / $f", "float64($n)", "math.Abs($f)", "math.Max($f, $f)", "math.Pi", "-$f", "min($f, $f)"},
	's': {
		"out.Name", "state.Note", "out.Place.City", "out.Where.City", "out.Tags[$n]", "\"x\"", "\"\"", "`raw \" text`", "$s + $s",
		"strings.ToLower($s)", "strings.TrimSpace($s)", "$v.String()", "res.Err.Error()",
		"string([]rune($s))", "$s[$n:]", "strings.Repeat($s, $n)", "strings.Join(out.Tags, $s)", "string(rune($n))", "string($n)",
		"$t.Format($s)", "$t.Format(\"2006-02-01\")", "$t.Format(\"02-01-2006\")", "$t.Weekday().String()", "$d.String()", "string(out.Raw)",
	},
	'v': {"out.Verdict", "*state.Last", "out.All[$n]", "VerdictGood", "VerdictBad", "VerdictOdd", "Verdict($n)", "Verdict(2)", "slices.Max(out.All)"},
	't': {"out.At", "$t.UTC()", "$t.Add($d)", "$t.Truncate(time.Hour)", "time.Date($n, time.May, 1, 0, 0, 0, 0, time.UTC)", "time.Time{}"},
	'd': {"out.Took", "time.Second", "$t.Sub($t)", "3 * time.Minute", "time.Duration($n)", "$d + $d", "$d.Abs()", "$d << 3"},
	'x': {
		"out", "state", "res", "out.Rest", "out.Tags", "nil", "'x'", "Place{City: $s}", "Place{$s, $n}", "[]Place{{City: $s}, {}}[$n]",
		"&$x", "$x.(string)", "func() bool { return $b }()", "<-$x",
		"uint8($n)", "[]byte($s)", "1i", "strings.Contains", "Verdict", "*$x", "$x.City", "$b", "$n", "$f", "$s", "$v",
	},
}

func randomCondition(r *rand.Rand, of byte, depth int) string {
	if r.IntN(30) == 0 {
		of = 'x'
	}
	form := forms[of][r.IntN(len(forms[of]))]
	for depth == 0 && strings.Contains(form, "$") {
		form = forms[of][r.IntN(len(forms[of]))]
	}
	var b strings.Builder
	for i := 0; i < len(form); i++ {
		if form[i] != '$' {
			b.WriteByte(form[i])
			continue
		}
		i++
		b.WriteString(randomCondition(r, form[i], depth-1))
	}
	return b.String()
}

// tricky are conditions that could break out of the function they are emitted into, or
// that one tool accepts and the next does not.
var tricky = []string{
	"out.Done }; func init() { panic(1)", "out.Done // }", "out.Done /* */", "out.Done \n || true", "`\n` == out.Name", "out.Done;",
	"out.Done,", "true; x", "out.Done)(",
	"/*line x:1*/ out.Done", "//line x:1\nout.Done", "out.Name == \"//line x:1\"", "out.Name == `*/ }`", "out.Name == \":999999:1*/\"",
	"out.Name == \"\\n\"", "out.Name == `a\rb`",
	"func() {}", "struct{}{} == struct{}{}", "[1 << 40]int{}[0] == 0", "[]int{1 << 40: 1}[0] == 0", "out.Count == 1 || out.Count == 1",
	"out.Count != 1 || out.Count != 2",
	"out.Count << 64 > 0", "uint8(out.Count) << 8 > 0", "out.Verdict << 9 > 0", "string(65) == out.Name", "string(out.Count) == \"\"",
	"string(rune(out.Count)) == \"\"",
	"strings.Contains == nil", "(strings.Contains)(out.Name, \"x\")", "((len))(out.Name) > 0", "out.Verdict.String == nil",
	"Verdict.String(out.Verdict) == \"\"", "(*Place)(nil) == nil",
	"unsafe.Pointer(&out) == nil", "len(out.Tags) == len(out.Ranks)", "out == out", "state == state", "out.Place == out.Place",
	"out.Tags == nil", "_ == 1", "iota == 0", "len == nil",
	"make([]int, 3) == nil", "new(int) == nil", "panic(1)", "print() == nil", "complex(1, 2) == 1i", "1i == 1i",
	"error(nil) == res.Err", "any(1) == any(out.Count)", "out.Done == (out.Count > 1)",
	"map[string]bool{out.Name: true, \"x\": false}[\"x\"]", "map[string]bool{\"x\": true, \"x\": false}[out.Name]",
	"Place{city: \"x\"} == out.Place", "Place{out: 1} == out.Place",
	"slices.Contains[[]string](out.Tags, \"x\")", "slices.Max([]float64{}) > 1", "strings.Repeat(\"x\", -1) == out.Name",
	"out.Count / 0 == 1", "out.Count / (1 - 1) == 1", "out.Score / 0 > 1",
	"\"abc\"[5] == 'x'", "out.Tags[-1] == \"\"", "out.Name[1:0] == \"\"", "1 << 1000 == out.Count", "1 << out.Count == 4",
	"math.MaxInt64 + 1 == out.Count", "res.Err == nil", "res.Err.Error() == \"\"",
	"graphgen.Reject(\"\") == nil", "out.Done && (func() bool)(nil) == nil", "strings.Join(out.Tags, \",\") == \"a,b\"",
	"utf8.RuneCount([]byte(out.Name)) > 3", "out.Where != nil && out.Where.Rank > 1",
	"out.At.Format(\"2006-02-01\") == out.Name", "out.At.Format(`2006-02-01 15:04`) == out.Name",
	"(out.At.Format)((\"2006\" + \"-02-01\")) == out.Name", "out.At.UTC().Format(\"2006-01-02\") == out.Name",
	"slices.Contains([]string{\"a\"}, out.Name) || slices.Contains([]string{\"b\"}, out.Name)", "out.Took > 5", "out.At == out.At",
	"out.Place == Place{\"x\", 1}",
	"goto x", "out.Done:", "[]string{\"a\",} != nil", "[]string(nil) == nil", "slices.Concat(out.Tags, out.Tags) == nil",
	"'\\'' == rune(out.Count)", "0x_1 == out.Count", "0b12 == out.Count", "1_000 < out.Count", "(((((out.Done)))))",
	"out.Done == !!out.Done", "!(!(out.Done))", "out . Done", "out.\tDone", "state.Last != nil && *state.Last == VerdictGood",
}

// Types that are reported elsewhere must neither trip the judgement of conditions nor make
// it complain a second time.
func TestBrokenConditionTypes(t *testing.T) {
	g, found := spec.Load("g.graph.yaml", []byte(`graph: g
entry: a
types:
  A: {b: B, self: A, name: string}
  B: {a: A}
  1x: {enum: [a, b]}
  E: {enum: [a, a, "a b", "1"]}
  EA: {enum: []}
  F: {}
state: {foo_bar: int, fooBar: string, u: Unknown, l: "[]Unknown", ü: A}
nodes:
  a: {output: A}
  b: {output: Nope}
  c: {output: {x: Nope, y: "?Nope", z: 1x, e: E, f: F, ea: EA}}
  d: {output: "[]A"}
edges:
  - {from: a, to: b, if: out == out.B.A}
  - {from: a, to: b, if: out.Self.Self.Self.Name == "x"}
  - {from: a, to: b, if: 'out.Self == A{}'}
  - {from: a, to: b, if: state.FooBar == 1}
  - {from: a, to: b, if: state.U == 1}
  - {from: a, to: b, if: 'state.L[0].X == 1'}
  - {from: b, to: c, if: out}
  - {from: c, to: d, if: out.X == out.Y}
  - {from: c, to: d, if: 'out.F == F{}'}
  - {from: c, to: d, if: out.Ea == 1}
  - {from: c, to: d, if: out.Z == "a"}
  - {from: nope, to: d, if: out.Foo == 1}
  - {from: d, to: end, if: 'out[0].Name == "x"'}
  - {from: c, to: end, on_output: {x: 1}}
  - {from: c, to: end, on_output: {z: b}}
  - {from: b, to: c, if: 'strings.Contians(out.Y, "x")'}
  - {from: c, to: d, if: out.Ea.Strin() == "x"}
`))
	if g == nil {
		t.Fatal(text(found))
	}
	var ours []diag.Diagnostic
	for _, d := range check.Run(cfg.Of(g)) {
		if strings.HasPrefix(d.Code, "GG07") {
			ours = append(ours, d)
		}
	}
	const want = "Contians\nStrin\n"
	got := ""
	for _, d := range ours {
		line := strings.Split(string(g.Source), "\n")[d.Pos.Line-1]
		got += line[d.Pos.Col-1:d.Pos.Col-1+d.Pos.Width] + "\n"
	}
	if got != want {
		t.Errorf("%s", text(ours))
	}
}

// TestWhatIsAcceptedBuilds holds the check against the compiler: the conditions that it
// accepts are generated, built and vetted at once.
func TestWhatIsAcceptedBuilds(t *testing.T) {
	conditions := append([]string{}, tricky...)
	seen, tries := map[string]bool{}, tier.Pick(80, 400, 2000)
	for d := range tier.Draws(t, tier.Endless) {
		r := d.Rand()
		if c := randomCondition(r, 'b', 1+r.IntN(3)); !seen[c] {
			seen[c] = true
			conditions = append(conditions, c)
		}
		if len(conditions) >= tries {
			break
		}
	}
	accepted := keepAccepted(t, conditions)
	t.Logf("%d of %d conditions are accepted", len(accepted), len(conditions))
	if len(accepted) < tries/5 {
		t.Errorf("only %d of %d conditions are accepted", len(accepted), len(conditions))
	}
	g, found := spec.Load("g.graph.yaml", conditionSpec(accepted))
	if len(found) > 0 {
		t.Fatal(text(found))
	}
	files, err := golang.Emit(plan.Lower(cfg.Of(g), "conditions"))
	if err != nil {
		t.Fatal(err)
	}
	vet(t, files)
}

// keepAccepted returns the conditions that the check has nothing against.
func keepAccepted(t *testing.T, conditions []string) []string {
	t.Helper()
	source := conditionSpec(conditions)
	g, found := spec.Load("g.graph.yaml", source)
	if len(found) > 0 {
		t.Fatal(text(found))
	}
	first := 1 + strings.Count(string(source[:strings.Index(string(source), "\nedges:\n")]), "\n") + 1
	refused := map[int]bool{}
	for _, d := range check.Run(cfg.Of(g)) {
		if strings.HasPrefix(d.Code, "GG07") || d.Code == "GG300" {
			refused[d.Pos.Line-first-1] = true
		}
	}
	var accepted []string
	for i, c := range conditions {
		if !refused[i] {
			accepted = append(accepted, c)
		}
	}
	return accepted
}

// vet builds and vets generated files in a module of their own.
func vet(t *testing.T, files []golang.File) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	const self = "github.com/graphgen/graphgen"
	write("go.mod", strings.Replace(read("go.mod"), "module "+self, "module conditions", 1)+"\nrequire "+self+" v0.0.0\n\nreplace "+self+" => "+root+"\n")
	write("go.sum", read("go.sum"))
	for _, f := range files {
		write(f.Name, string(f.Content))
	}
	for _, verb := range []string{"build", "vet"} {
		cmd := exec.CommandContext(t.Context(), "go", verb, ".")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s refuses what is accepted: %v\n%.4000s", verb, err, out)
		}
	}
}
