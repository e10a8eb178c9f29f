package mutants

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A base is a spec to be changed, with the files that it uses.
type base struct {
	name  string            // of its file
	files map[string]string // texts by paths from its folder, its own among them
}

// named are types of Go packages, for which no check looks.
var named = regexp.MustCompile(`\bgo: `)

// with is the base with another text of a file.
func (b base) with(file, text string) base {
	b.files = maps.Clone(b.files)
	b.files[file] = text
	return b
}

// alone reports whether the spec needs a folder of its own.
func (b base) alone() bool {
	specs := 0
	for file := range b.files {
		if link.IsSpec(file) {
			specs++
		}
	}
	return specs > 1
}

// read returns the text of a file. Each mutant has prompts in files: those whose name ends in that of a field name it.
func (b base) read(file string) (text string, ok bool) {
	if field, named := strings.CutPrefix(file, "said_"); named {
		return "Say {{" + strings.TrimSuffix(field, ".md") + "}}.\r\n", true
	}
	text, ok = b.files[file]
	return text, ok
}

// text returns the texts of all files.
func (b base) text() string {
	text := b.files[b.name]
	for _, file := range slices.Sorted(maps.Keys(b.files)) {
		if file != b.name {
			text += "\n-- " + file + " --\n" + b.files[file]
		}
	}
	return text
}

func (b base) key() string { return b.name + "\n" + b.text() }

// composition is what graphs have whose nodes run others, ask people, or change the graph.
var composition = regexp.MustCompile(`\b(kind: (loop|retry|parallel|map|subgraph|autonomous|human)|mode: autonomous|mutates: true)\b`)

// readBases reads every spec of this project that is accepted, and needs no more than the specs
// of its folder; and those of them that are composed.
func readBases(t *testing.T) (all, composed []base) {
	t.Helper()
	for _, pattern := range []string{"../../../golden/*/*.graph.yaml", "../../../examples/*/*.graph.yaml", "../../../testdata/specs/valid/*.graph.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			b := readBase(t, file)
			if len(b.text()) >= 20_000 || named.MatchString(b.text()) || load(t, b, "p") == nil {
				continue
			}
			all = append(all, b)
			if composition.MatchString(b.text()) {
				composed = append(composed, b)
			}
		}
	}
	if len(all) < 20 || len(composed) < 15 {
		t.Fatalf("there are %d specs to change, %d of them are composed", len(all), len(composed))
	}
	return all, composed
}

// readBase reads a spec, and the files of its folder that it comes to.
func readBase(t *testing.T, path string) base {
	t.Helper()
	b := base{name: filepath.Base(path), files: map[string]string{}}
	s, _ := linked(b.name, "p", func(file string) (string, bool) {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(path), file))
		if err == nil {
			b.files[file] = string(text)
		}
		return string(text), err == nil
	})
	if s == nil {
		t.Fatalf("%s is not a spec", path)
	}
	return b
}

// linked reads a spec and those that it uses. Their files are in a folder of the module of the
// mutants, and are read by their paths from there.
func linked(name, folder string, read func(file string) (text string, ok bool)) (*spec.Graph, []diag.Diagnostic) {
	dir := "/module/" + folder
	linker := link.New(dir, func(path string) ([]byte, error) {
		if path == "/module/go.mod" {
			return []byte("module " + tempmodule.Internal + "\n"), nil
		}
		if file, within := strings.CutPrefix(path, dir+"/"); within {
			if text, ok := read(file); ok {
				return []byte(text), nil
			}
		}
		return nil, fs.ErrNotExist
	}, func(g *spec.Graph) []diag.Diagnostic { return check.Run(cfg.Of(g)) })
	text, ok := read(name)
	if !ok {
		return nil, nil
	}
	s, found := spec.Load(name, []byte(text))
	if s != nil {
		linker.Link(s)
	}
	return s, found
}

// load returns the mutant of a base if it is accepted, and so are the specs that it uses, which
// are in a folder.
func load(t *testing.T, b base, folder string) *mutant {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			t.Fatalf("%v\n%s\n%s", v, debug.Stack(), b.text())
		}
	}()
	s, found := linked(b.name, folder, b.read)
	if wrong(found) {
		return nil
	}
	specs := usedBy(s)
	folders := map[string][]*cfg.Graph{}
	for _, s := range specs {
		flow := cfg.Of(s)
		if wrong(check.Run(flow)) {
			return nil
		}
		folders[filepath.Dir(s.File)] = append(folders[filepath.Dir(s.File)], flow)
	}
	for _, flows := range folders {
		if wrong(check.Package(flows)) {
			return nil
		}
	}
	if wrong(link.Packages(specs)) {
		return nil
	}
	return &mutant{base: b, spec: s, graph: resolve.Resolve(s)}
}

func wrong(found []diag.Diagnostic) bool {
	return slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })
}

// usedBy lists a spec and all that it uses, each once.
func usedBy(s *spec.Graph) []*spec.Graph {
	specs := []*spec.Graph{s}
	for i := 0; i < len(specs); i++ {
		for _, u := range specs[i].Use {
			if u.Graph != nil && !slices.Contains(specs, u.Graph) {
				specs = append(specs, u.Graph)
			}
		}
	}
	return specs
}
