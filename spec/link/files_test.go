package link_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/link"
)

// TestUsePaths holds which files a spec may use: what is out of the module is not read, whatever leads there.
func TestUsePaths(t *testing.T) {
	const allowed = ""
	for name, c := range map[string]struct {
		path, want string
		bare       bool // there is no go.mod
	}{
		"beside":                      {"own.types.yaml", allowed, false},
		"in another folder":           {"../shared/s.types.yaml", allowed, false},
		"in another without a module": {"../shared/s.types.yaml", "GG140]: the import path of the Go package of \"../shared/s.types.yaml\" is unknown", true},
		"out of the module":           {"../../out.types.yaml", "GG138]: the path \"../../out.types.yaml\" leads out of the module", false},
		"in and out":                  {"below/../../../out.types.yaml", "GG138]: the path", false},
		"a link within":               {"within.types.yaml", allowed, false},
		"a link out of the module":    {"link.types.yaml", "GG138]: the file \"link.types.yaml\" is a link to another, which is not a spec", false},
		"a link to another suffix":    {"renamed.types.yaml", "GG138]: the file \"renamed.types.yaml\" is a link to another", false},
		"a folder that is a link":     {"outfolder/out.types.yaml", "GG138]: the file \"outfolder/out.types.yaml\" is a link to another", false},
		"a link in a ring":            {"ring.types.yaml", "GG138]: the file \"ring.types.yaml\" cannot be read", false},
		"a FIFO":                      {"fifo.types.yaml", "GG138]: the file \"fifo.types.yaml\" cannot be read: it is a FIFO", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := &prompted{filepath.Join(newPrompted(t, false).dir, "module")}
			if !c.bare {
				p.write(t, "go.mod", "module example.com/shop\n")
			}
			for _, file := range []string{"agent/own.types.yaml", "shared/s.types.yaml"} {
				p.write(t, file, "types: {T: {x: int}}\n")
			}
			for _, file := range []string{"../out.types.yaml", "agent/secrets.env"} {
				p.write(t, file, "password: hunter2\n")
			}
			for from, to := range map[string]string{
				"within.types.yaml": "../shared/s.types.yaml", "link.types.yaml": "../../out.types.yaml", "renamed.types.yaml": "secrets.env",
				"outfolder": "../..", "ring.types.yaml": "ring.types.yaml",
			} {
				if err := os.Symlink(to, p.path("agent/"+from)); err != nil {
					t.Fatal(err)
				}
			}
			if err := syscall.Mkfifo(p.path("agent/fifo.types.yaml"), 0o666); err != nil {
				t.Fatal(err)
			}
			g, ds := spec.Load("agent/g.graph.yaml",
				[]byte("graph: g\nentry: a\nuse: {common: "+c.path+"}\nstate: {t: common.T}\ninput: t\nnodes: {a: {reads: t}}\n"))
			if len(ds) > 0 {
				t.Fatal(ds)
			}
			judge := func(g *spec.Graph) []diag.Diagnostic { return check.Run(cfg.Of(g)) }
			read := func(path string) ([]byte, error) { return input.Start(path, spec.MaxFile) }
			link.New(p.dir, read, judge).ReadFiles(input.Below).Link(g)
			var b bytes.Buffer
			if err := diag.Render(&b, diag.WithoutNotes(judge(g)), diag.Options{}); err != nil {
				t.Fatal(err)
			}
			found := b.String()
			if c.want == allowed && found != "" || c.want != allowed && (!strings.Contains(found, c.want) || strings.Count(found, "error[") != 1) {
				t.Errorf("got  %s\nwant %s", found, c.want)
			}
			if strings.Contains(found, "password") || strings.Contains(found, p.dir) {
				t.Errorf("it shows what is out of the module: %s", found)
			}
		})
	}
}
