package graphgen_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/throwaway"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
)

// agent is the section of docs/agents.md that holds a program.
const agent = "## A support agent that branches by class\n"

// shown are the pages, or their sections, whose blocks of code are pieces of files.
var shown = []struct {
	page, section string // the section ends with the next heading of its kind; empty: all of the page but agent
	files         []string
}{
	{"docs/agents.md", "", []string{"examples/desk/desk.graph.yaml", "examples/desk/desk.go", "examples/desk/desk.scenarios.yaml", "examples/live/provider.go", "examples/librarian/session.go"}},
	{"docs/composition.md", "", []string{
		"golden/composition/refine.graph.yaml", "golden/composition/refine.scenarios.yaml", "golden/composition/refine_graph.go",
		"golden/composition/transfer.graph.yaml",
		"golden/composition/enquire.graph.yaml", "golden/composition/enquire.scenarios.yaml", "golden/composition/enquire_graph.go",
		"golden/composition/digest.graph.yaml", "golden/composition/digest.scenarios.yaml",
		"golden/composition/outing.graph.yaml", "golden/composition/library.graph.yaml", "golden/composition/library_graph.go",
	}},
	{"README.md", "## A first agent in five minutes\n", []string{"examples/librarian/librarian.graph.yaml", "examples/librarian/librarian.go", "examples/librarian/session.go"}},
}

// What a page shows is compiled and tested where it comes from. A line of three dots stands
// for what is left out.
func TestPagesShowFilesOfTheRepository(t *testing.T) {
	for _, s := range shown {
		var files [][]string
		for _, name := range s.files {
			files = append(files, lines(read(t, name)))
		}
		blocks := codeOf(t, s.page, s.section)
		if len(blocks) == 0 {
			t.Errorf("%s shows nothing", s.page)
		}
		for _, block := range blocks {
			for _, piece := range pieces(block) {
				if !slices.ContainsFunc(files, func(file []string) bool { return holds(file, piece) }) {
					t.Errorf("%s: none of the files holds\n%s", s.page, strings.Join(piece, "\n"))
				}
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// codeOf returns the blocks of code of a page's section.
func codeOf(t *testing.T, page, section string) (blocks []string) {
	t.Helper()
	text := read(t, page)
	if section == "" {
		before, rest, _ := strings.Cut(text, agent)
		_, after, _ := strings.Cut(rest, "\n## ")
		text = before + after
	} else {
		text = sectionOf(t, page, section)
	}
	for i, part := range strings.Split(text, "```") {
		if i%2 == 1 {
			_, code, _ := strings.Cut(part, "\n")
			blocks = append(blocks, code)
		}
	}
	return blocks
}

// sectionOf returns the text below a heading of a page.
func sectionOf(t *testing.T, page, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(read(t, page), heading)
	if !ok {
		t.Fatalf("%s has no section %s", page, heading)
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// A file of the agent in docs/agents.md: its name, and the block behind the sentence that has it.
var file = regexp.MustCompile("(?s)`([a-z.]+\\.(?:go|yaml))`[^`]*(?:`[^`\n]+`[^`]*)*?:\n\n```[a-z]+\n(.*?)```")

// The agent that docs/agents.md has for pasting is generated, built, run and tested unchanged.
func TestTheAgentOfThePageBuildsAtTheFirstTry(t *testing.T) {
	module := throwaway.New(t, "example.com/support", ".")
	files := file.FindAllStringSubmatch(sectionOf(t, "docs/agents.md", agent), -1)
	if len(files) != 3 {
		t.Fatalf("the section has %d files, not a spec, a program and scenarios", len(files))
	}
	for _, f := range files {
		module.Write(f[1], f[2])
	}
	g, found := spec.Load("support.graph.yaml", []byte(files[0][2]))
	if found = append(found, check.Run(cfg.Of(g))...); len(found) > 0 {
		t.Fatalf("the spec is found fault with: %v", found)
	}
	generated, err := golang.Emit(plan.Lower(cfg.Of(g), "main"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range generated {
		module.Write(f.Name, string(f.Content))
	}
	if out, err := module.Go("vet", "."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := module.Go("run", "."); err != nil || out != "billing - Your invoice is on its way.\n" {
		t.Errorf("the program says %q, %v", out, err)
	}
	var out strings.Builder
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	summary, err := scenario.Test(t.Context(), scenario.Config{Dir: module.Dir, Files: []string{"support.graph.yaml"}, Stdout: &out, Stderr: &out})
	if err != nil || !summary.OK() || summary.Passed != 3 {
		t.Errorf("%+v, %v\n%s", summary, err, out.String())
	}
}

// lines returns the lines that are not empty, without what they are indented by.
func lines(text string) (list []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// pieces splits a block where something is left out.
func pieces(block string) (list [][]string) {
	list = [][]string{nil}
	for _, line := range lines(block) {
		if line == "…" {
			list = append(list, nil)
			continue
		}
		last := len(list) - 1
		list[last] = append(list[last], line)
	}
	return list
}

// holds reports whether the lines of the piece stand in the file, one after the other.
func holds(file, piece []string) bool {
	for at := range file {
		if len(piece) > 0 && len(file)-at >= len(piece) && slices.Equal(file[at:at+len(piece)], piece) {
			return true
		}
	}
	return false
}

// A link of a page to a file, without what it says of a place in it.
var link = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

func TestLinksOfPagesLeadToFiles(t *testing.T) {
	count := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/checks/*.md", "examples/*.md", "contrib/*/*.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			for i, part := range strings.Split(read(t, page), "```") {
				if i%2 == 1 {
					continue
				}
				for _, found := range link.FindAllStringSubmatch(part, -1) {
					count++
					if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(found[1]))); err != nil {
						t.Errorf("%s: %v", page, err)
					}
				}
			}
		}
	}
	if count == 0 {
		t.Error("there is no link")
	}
}
