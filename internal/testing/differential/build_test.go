package differential

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec/cfg"
)

// perPackage is how many graphs share a Go package: enough to spread over the cores, few
// enough to spare the linker.
const perPackage = 50

// A program is the built binary that plays scripts to all machines. It is one of a test, for
// the clock of package synctest.
type program struct{ path string }

// build writes every graph's machine and handlers into a module of their own, which uses
// this one, and builds it once.
func build(t *testing.T, graphs []*shapes) *program {
	t.Helper()
	module := tempmodule.New(t, tempmodule.Internal, "../../..")
	var imports, lists strings.Builder
	for i := 0; i < len(graphs); i += perPackage {
		pkg := fmt.Sprintf("p%d", i/perPackage)
		writePackage(t, pkg, graphs[i:min(i+perPackage, len(graphs))], module.Write)
		fmt.Fprintf(&imports, "\t%q\n", tempmodule.Internal+"/"+pkg)
		fmt.Fprintf(&lists, ", %s.Machines", pkg)
	}
	module.Write("main_test.go",
		"package main\n\nimport (\n\t\"os\"\n\t\"testing\"\n\n\t\"github.com/graphgen/graphgen/internal/testing/scriptdriver\"\n"+imports.String()+
			")\n\nfunc TestPlay(t *testing.T) {\n\tif err := scriptdriver.Main(t, os.Stdin, os.Stdout"+lists.String()+
			"); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n")
	p := &program{path: filepath.Join(module.Dir, "machines.bin")}
	// Without optimization and debug information the build takes half of the time.
	args := []string{"test", "-c", "-trimpath", "-gcflags=" + tempmodule.Internal + "/...=-N -l -dwarf=false", "-ldflags=-s -w", "-o", p.path}
	if tier.Raced() && bytes.Contains(graphs[0].Source, []byte("human")) { // concurrent calls answer their requests
		args = append(args, "-race")
	}
	out, err := module.Go(append(args, ".")...)
	if err != nil {
		t.Fatalf("the generated machines do not compile: %v\n%.4000s", err, out)
	}
	return p
}

// writePackage writes the machines of some graphs and one file of handlers for them.
func writePackage(t *testing.T, pkg string, graphs []*shapes, write func(name, content string)) {
	t.Helper()
	var all, list strings.Builder
	emit := func(s *shapes) *plan.Machine {
		m := plan.Lower(cfg.Of(s.Graph), pkg)
		files, err := golang.Emit(m)
		if err != nil {
			t.Fatalf("%s: %v\n%s", s.Name.V, err, s.Source)
		}
		for _, f := range files {
			write(pkg+"/"+f.Name, string(f.Content))
		}
		all.WriteString(handlers(s) + "\n")
		return m
	}
	for _, s := range graphs {
		if s.inner != nil {
			emit(s.inner)
		}
		all.WriteString(runner(s, emit(s)) + "\n")
		fmt.Fprintf(&list, "\t{Name: %q, Durable: %t, Again: %t, Run: run%s},\n", s.Name.V, s.Durable.V,
			slices.ContainsFunc(s.nodes, func(n *nodeShape) bool { return n.kind == "subgraph" && n.has("retryable") }), s.goName)
	}
	write(pkg+"/handlers.go",
		"package "+pkg+"\n\nimport (\n\t\"context\"\n\n\t\"github.com/graphgen/graphgen/internal/testing/scriptdriver\"\n"+
			"\t\"github.com/graphgen/graphgen\"\n\t\"github.com/graphgen/graphgen/chat\"\n"+
			"\t\"github.com/graphgen/graphgen/mutation\"\n\t\"github.com/graphgen/graphgen/thread\"\n)\n\n"+
			"var _ chat.Message\nvar _ mutation.Change\nvar _ thread.Option\n\n"+
			"// Machines are the machines of this package.\nvar Machines = []scriptdriver.Machine{\n"+list.String()+"}\n\n"+all.String())
}

// play plays the jobs and returns the answers in their order.
func (p *program) play(t *testing.T, jobs []scriptdriver.Job) []scriptdriver.Answer {
	t.Helper()
	var in, out, complaint bytes.Buffer
	encode := json.NewEncoder(&in)
	for _, j := range jobs {
		if err := encode.Encode(j); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), p.path, "-test.run=^TestPlay$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), "GOGC=400") // a quarter of its time is for the garbage of a small heap
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &complaint
	err := cmd.Run()
	var answers []scriptdriver.Answer
	for decode := json.NewDecoder(&out); len(answers) < len(jobs); {
		var a scriptdriver.Answer
		if e := decode.Decode(&a); e != nil {
			t.Fatalf("the player died at job %d: %v, %v\n%.4000s\n%.4000s", len(answers), err, e, complaint.String(), out.String())
		}
		answers = append(answers, a)
	}
	if err != nil {
		t.Fatalf("the player died: %v\n%.4000s\n%.4000s", err, complaint.String(), out.String())
	}
	return answers
}
