package golang

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	released "github.com/graphgen/graphgen/spec/shape"
)

const versionsFolder = "testdata/versions"

// versioned returns the plan of a graph with three releases, and of these.
func versioned(t *testing.T) (*plan.Machine, *plan.Versions) {
	t.Helper()
	var lock *released.Lock
	for _, name := range []string{"1.graph.yaml", "2.graph.yaml", "3.graph.yaml"} {
		text := lock.Append(released.Of(flowOf(t, name)), "")
		var found []diag.Diagnostic
		if lock, found = released.ParseLock("review.graph.lock", text); len(found) > 0 {
			t.Fatal(found)
		}
	}
	flow := flowOf(t, "review.graph.yaml")
	m := plan.Lower(flow, "review")
	return m, plan.LowerVersions(m, flow, lock)
}

func flowOf(t *testing.T, name string) *cfg.Graph {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(versionsFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	g, found := spec.Load(name, source)
	flow := cfg.Of(g)
	if found = append(found, check.Run(flow)...); diag.HasErrors(found) {
		t.Fatal(name, found)
	}
	return flow
}

// The plan of the versions of a graph, and the files that come of it, are those of testdata.
func TestVersions(t *testing.T) {
	m, v := versioned(t)
	files, err := EmitVersions(m, v)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(files, File{"plan.txt", []byte(v.String())}) {
		path := filepath.Join(versionsFolder, f.Name)
		if *update {
			if err := os.WriteFile(path, f.Content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || string(want) != string(f.Content) {
			t.Errorf("%s is not as committed (%v), got\n%s", f.Name, err, f.Content)
		}
	}
}

// Releases that need no migration have no types, and without a release there is no file.
func TestVersionsWithoutMigration(t *testing.T) {
	flow := flowOf(t, "1.graph.yaml")
	m := plan.Lower(flow, "review")
	lock, found := released.ParseLock("review.graph.lock", (*released.Lock)(nil).Append(released.Of(flow), ""))
	if len(found) > 0 {
		t.Fatal(found)
	}
	for name, lock := range map[string]*released.Lock{"nothing is released": nil, "the release is the same": lock} {
		v := plan.LowerVersions(m, flow, lock)
		files, err := EmitVersions(m, v)
		if err != nil || len(files) != len(v.Releases) || v.Number != 1 || v.Old != nil {
			t.Errorf("%s: version %d, %d files, %v", name, v.Number, len(files), err)
		}
	}
}

// What the author writes compiles beside the machine, and brings what codecs of older versions read to the
// machine's state.
func TestMigrationsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	m, v := versioned(t)
	files, err := Emit(m)
	if err != nil {
		t.Fatal(err)
	}
	more, err := EmitVersions(m, v)
	if err != nil {
		t.Fatal(err)
	}
	module := tempmodule.New(t, "example.com/versions", "../..")
	for _, f := range append(files, more...) {
		module.Write("review/"+f.Name, string(f.Content))
	}
	module.Write("review/migrations.go", migrations)
	module.Write("main.go", migrating)
	if out, err := module.Go("vet", "./..."); err != nil {
		t.Fatal(out)
	}
	if out, err := module.Go("test", "./review"); err != nil {
		t.Errorf("samples of releases: %s", out)
	}
	module.Write("review/migrations.go", strings.ReplaceAll(migrations, "return \"publish\", nil", "return \"print\", nil"))
	if out, err := module.Go("test", "./review"); err == nil || !strings.Contains(out, `release 3, node ask`) ||
		!strings.Contains(out, `the graph has no node "print"`) {
		t.Errorf("a migration to a node that is not there: %v %s", err, out)
	}
	module.Write("review/migrations.go", migrations)
	out, err := module.Go("run", ".")
	const want = `publish {"topic":"otters","article":"short","verdict":{"score":7,"grade":"top","notes":[]},"tone":"plain"} map[approve:ask] <nil>
publish {"topic":"otters","article":"","verdict":{"score":7,"grade":"top","notes":["a","b"]},"tone":"formal","shapes":[{"type":"round","radius":2}]} map[] <nil>
ask {"topic":"otters","verdict":{"score":7,"grade":"top","notes":["a","b","c"]},"tone":"formal","shapes":[{"type":"round","radius":2}]} map[] <nil>
  map[] the graph has no release with the shape "0123456789abcdef"`
	if err != nil || strings.TrimSpace(out) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, out, want)
	}
}

const migrations = `package review

func (reviewMigrations) V2ToV3(old ReviewStateV2) (ReviewStateV3, error) {
	now := ReviewStateV3{Topic: old.Topic, Article: old.Article, Tone: ReviewStateV3Tone(old.Tone)}
	if v := old.Verdict; v != nil {
		now.Verdict = &VerdictV3{Score: float64(v.Score), Grade: GradeV3(v.Grade), Notes: v.Notes}
	}
	for _, s := range old.Shapes {
		switch s := s.(type) {
		case ShapeV2Round:
			now.Shapes = append(now.Shapes, ShapeV3Round{Radius: s.Radius})
		case ShapeV2Flat:
			now.Shapes = append(now.Shapes, ShapeV3Flat{Width: s.Width})
		}
	}
	return now, nil
}

func (reviewMigrations) V3ToV4(old ReviewStateV3) (ReviewStateV4, error) {
	now := ReviewStateV4{Topic: old.Topic, Article: old.Article, Tone: ReviewStateV4Tone(old.Tone)}
	if v := old.Verdict; v != nil {
		grade := GradeV4Low
		if v.Grade == GradeV3Top {
			grade = GradeV4Top
		}
		now.Verdict = &VerdictV4{Score: v.Score, Grade: grade, Notes: v.Notes[:min(len(v.Notes), 2)]}
	}
	for _, s := range old.Shapes {
		switch s := s.(type) {
		case ShapeV3Round:
			now.Shapes = append(now.Shapes, ShapeV4Round{Radius: s.Radius})
		case ShapeV3Flat:
			now.Shapes = append(now.Shapes, ShapeV4Flat{Width: s.Width})
		}
	}
	return now, nil
}

func (reviewMigrations) V3ToV4Node(node string, state ReviewStateV4) (string, error) {
	return "publish", nil
}
`

const migrating = `package main

import (
	"fmt"

	"github.com/graphgen/graphgen/runtime/versions"

	"example.com/versions/review"
)

func main() {
	v := new(review.Review).Durable().New().(interface{ Versions() *versions.Versions }).Versions()
	for _, shape := range []string{v.Steps[0].Shape, v.Steps[1].Shape, v.Shape, "0123456789abcdef"} {
		run := versions.Run{Node: "ask", State: ` + "`" + `{"topic":"otters","verdict":{"score":7,"grade":"top","notes":["a","b",` +
	`"c"]},"tone":"formal","shapes":[{"type":"round","radius":2}]}` + "`" + `}
		if shape == v.Steps[0].Shape {
			run = versions.Run{Node: "approve", State: ` + "`" + `{"text":"short","topic":"otters","verdict":{"points":7,` +
	`"grade":"high","notes":[]},"tone":"plain"}` + "`" + `}
		}
		run, err := v.Upgrade(shape, run)
		fmt.Println(run.Node, run.State, run.Nodes, err)
	}
}
`
