package repo_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// TestLinks holds every relative link of every page: the file exists, and so does the heading that a
// fragment names.
func TestLinks(t *testing.T) {
	pages := markdown(t)
	count := 0
	for page, text := range pages {
		for _, target := range linksOf(text) {
			count++
			if problem := follow(pages, page, target); problem != "" {
				t.Errorf("%s: %s", page, problem)
			}
		}
	}
	if count < 500 {
		t.Errorf("there are %d links", count)
	}
}

// TestLinksOfOnePage holds what TestLinks finds.
func TestLinksOfOnePage(t *testing.T) {
	pages := map[string]string{
		"a.md":      "# A `page` of (two) parts\n\n## Same\n\n## Same\n\n```\n# no heading\n[no](link.md)\n```\n",
		"docs/b.md": "# B\n",
	}
	for _, row := range []struct {
		page, target string
		right        bool
	}{
		{"docs/b.md", "../a.md", true},
		{"docs/b.md", "../a.md#a-page-of-two-parts", true},
		{"docs/b.md", "../a.md#same-1", true},
		{"docs/b.md", "../a.md#same-2", false},
		{"docs/b.md", "../a.md#no-heading", false},
		{"docs/b.md", "a.md", false},
		{"docs/b.md", "#b", true},
		{"docs/b.md", "#c", false},
		{"docs/b.md", "../cmd/", true},
		{"docs/b.md", "../go.mod", true},
		{"docs/b.md", "../go.mod#module", false},
	} {
		t.Run(row.target, func(t *testing.T) {
			if problem := follow(pages, row.page, row.target); (problem == "") != row.right {
				t.Error(problem)
			}
		})
	}
	if got := linksOf(pages["a.md"]); got != nil {
		t.Errorf("a block of code has links: %v", got)
	}
}

// TestEveryPageIsInTheIndex holds docs/README.md: it leads to every page, but those of the checks.
func TestEveryPageIsInTheIndex(t *testing.T) {
	listed := map[string]bool{}
	for _, target := range linksOf(read(t, "docs/README.md")) {
		path, _, _ := strings.Cut(target, "#")
		listed[filepath.Join("docs", path)] = true
	}
	for page := range markdown(t) {
		if strings.HasPrefix(page, "docs/") && page != "docs/README.md" && !strings.HasPrefix(page, "docs/reference/checks/GG") && !listed[page] {
			t.Errorf("docs/README.md does not lead to %s", page)
		}
	}
}

// markdown returns the text of every page of the repository by its path.
func markdown(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "library" || d.Name() == ".git"):
			return filepath.SkipDir // pages there are data
		case filepath.Ext(path) == ".md":
			pages[filepath.ToSlash(path)] = read(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

var (
	fences = regexp.MustCompile("(?ms)^```.*?^```$|^    .*?$")
	spans  = regexp.MustCompile("`[^`\n]*`")
	links  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	scheme = regexp.MustCompile(`^[a-z]+:`)
)

// linksOf returns the targets of the relative links of a page, those of its code left out.
func linksOf(text string) (targets []string) {
	text = fences.ReplaceAllString(text, "")
	for _, found := range links.FindAllStringSubmatch(spans.ReplaceAllString(text, ""), -1) {
		if !scheme.MatchString(found[1]) {
			targets = append(targets, found[1])
		}
	}
	return targets
}

// follow returns what is wrong with a link of a page; it is empty where nothing is.
func follow(pages map[string]string, page, target string) string {
	path, fragment, has := strings.Cut(target, "#")
	file := page
	if path != "" {
		file = filepath.ToSlash(filepath.Join(filepath.Dir(page), path))
	}
	text, ok := pages[file]
	if _, err := os.Stat(file); err != nil && !ok {
		return err.Error()
	}
	if has && !anchors(text)[fragment] {
		return fmt.Sprintf("%s has no heading #%s", file, fragment)
	}
	return ""
}

// anchors returns the fragments by which the headings of a page are linked: lower case, without
// punctuation, with hyphens for spaces, and numbered where they repeat.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for line := range strings.Lines(fences.ReplaceAllString(text, "")) {
		title := strings.TrimLeft(line, "#")
		if len(title) == len(line) || !strings.HasPrefix(title, " ") {
			continue
		}
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title))
		name := slug
		for i := 1; found[name]; i++ {
			name = fmt.Sprintf("%s-%d", slug, i)
		}
		found[name] = true
	}
	return found
}
