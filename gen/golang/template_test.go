package golang

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/template"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// positions are the positions in the spec that generated code has.
var positions = regexp.MustCompile(`, Line: \d+, Col: \d+|/\*line [^*]*\*/`)

// TestTemplatesAreGone holds that the graph that templates become, written out as a spec, gives the same machine but for
// the positions in it.
func TestTemplatesAreGone(t *testing.T) {
	var files []string
	for _, folder := range []string{"templates", "reasoning", "patterns", "skills", "skillgroups"} {
		found, err := filepath.Glob("../../golden/" + folder + "/*.graph.yaml")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 4 {
		t.Fatal("no golden graphs", files)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".graph.yaml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(file)
			dir, err := filepath.Abs(filepath.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			emit := func(text []byte, change func(*spec.Graph)) (contents []string) {
				g, found := spec.Load(name, text)
				if g == nil || len(found) > 0 {
					t.Fatalf("%v\n%s", found, text)
				}
				link.New(dir, os.ReadFile, nil).Link(g)
				if found := check.Run(cfg.Of(g)); diag.HasErrors(found) {
					t.Fatalf("%v\n%s", found, text)
				}
				change(g)
				made, err := Emit(plan.Lower(cfg.Of(g), "golden"))
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range made {
					contents = append(contents, f.Name, positions.ReplaceAllString(string(f.Content), ""))
				}
				return contents
			}
			var written []byte
			want := emit(text, func(g *spec.Graph) { template.Tidy(g); written = spec.Write(g) })
			if strings.Contains(string(written), "templates:") || strings.Contains(string(written), "pattern:") {
				t.Errorf("templates are left:\n%s", written)
			}
			if got := emit(written, func(*spec.Graph) {}); !slices.Equal(got, want) {
				t.Errorf("the machines differ; the spec is\n%s", written)
				for i := range got {
					if i < len(want) && got[i] != want[i] {
						t.Logf("got\n%s\nwant\n%s", got[i], want[i])
						return
					}
				}
			}
		})
	}
}

// TestEveryNodeAsTemplate makes each node of each golden graph a template with one use. The machines are the same: so
// templates meet every kind, flag, wrapper and region.
func TestEveryNodeAsTemplate(t *testing.T) {
	files, err := filepath.Glob("../../golden/*/*.graph.yaml")
	if err != nil || len(files) < 50 {
		t.Fatal(err, len(files))
	}
	same := 0
	for i, file := range files {
		if testing.Short() && i%4 > 0 {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".graph.yaml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir, err := filepath.Abs(filepath.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(file)
			emit := func(root spec.Tree) (contents []string) {
				g, found := spec.Read(name, text, root)
				if len(found) > 0 {
					t.Fatal(found)
				}
				link.New(dir, os.ReadFile, nil).Link(g)
				if found := check.Run(cfg.Of(g)); diag.HasErrors(found) {
					t.Fatal(found)
				}
				made, err := Emit(plan.Lower(cfg.Of(g), "golden"))
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range made {
					contents = append(contents, f.Name, positions.ReplaceAllString(string(f.Content), ""))
				}
				return contents
			}
			g, _ := spec.Load(name, text)
			if g.Pattern.IsSet() || len(g.Nodes) == 0 || len(g.Templates) > 0 {
				return
			}
			want := emit(spec.TreeOf(g))
			root := spec.TreeOf(g)
			asTemplates(&root)
			if got := emit(root); !slices.Equal(got, want) {
				t.Errorf("the machine of templates differs:\n%s", strings.Join(got, "\n"))
			}
			same++
		})
	}
	if !testing.Short() && same < 100 {
		t.Errorf("only %d graphs were compared", same)
	}
}

// asTemplates makes each node of a graph a template with one use.
func asTemplates(root *spec.Tree) {
	nodes := root.Get("nodes")
	templates := spec.Tree{Kind: yamlread.Map}
	for i := 0; i < len(nodes.Items); i += 2 {
		key, node := &nodes.Items[i], &nodes.Items[i+1]
		body := spec.Tree{Kind: yamlread.Map}
		body.Add("node", escaped(*node))
		templates.Add("of_"+key.Text, body)
		use := spec.Tree{Kind: yamlread.Map}
		use.Add("kind", yamlread.TextTree("of_"+key.Text, spec.Pos{}))
		*node = use
	}
	root.Add("templates", templates)
	root.SetPos(root.Pos)
}

// escaped is a value in which no dollar sign names a parameter.
func escaped(t spec.Tree) spec.Tree {
	t.Text = strings.ReplaceAll(t.Text, "$", "$$")
	t.Items = slices.Clone(t.Items)
	for i := range t.Items {
		t.Items[i] = escaped(t.Items[i])
	}
	return t
}
