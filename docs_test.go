package graphgen_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shown are the pages, or their sections, whose blocks of code are pieces of files.
var shown = []struct {
	page, section string // the section ends with the next heading of its kind; empty: all of the page
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
	if section != "" {
		_, rest, ok := strings.Cut(text, section)
		if !ok {
			t.Fatalf("%s has no section %s", page, section)
		}
		text, _, _ = strings.Cut(rest, "\n## ")
	}
	for i, part := range strings.Split(text, "```") {
		if i%2 == 1 {
			_, code, _ := strings.Cut(part, "\n")
			blocks = append(blocks, code)
		}
	}
	return blocks
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
