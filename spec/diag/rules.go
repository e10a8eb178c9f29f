package diag

import (
	"io/fs"
	"slices"
	"strings"
)

// A Rule documents a code. graphgen explain prints it, and a test checks its examples.
type Rule struct {
	Code string // "GG012"
	Name string // "unknown-key"
	Doc  string // what is wrong, and why it matters
	Bad  string // a spec that yields exactly this code; for several files see Files
	Good string // the same spec without the mistake

	Large func() string // returns Bad, where it is too large to be made for every run of a program
}

// ReadRules reads rules from pages, a file CODE.md each, and returns them in the order of their codes. A page has the name
// as its title, the doc, and a section with the bad example and one with the good example:
//
//	# name
//
//	What is wrong, and why it matters.
//
//	## Refused
//
//	```yaml
//	graph: …
//	```
//
//	## Mended
//
//	```yaml
//	graph: …
//	```
//
// A rule with a large example has no section for it. The pages are embedded in the program: ReadRules panics where one has
// another form.
func ReadRules(pages fs.FS) []Rule {
	names, err := fs.Glob(pages, "*/*.md")
	if err != nil {
		panic(err)
	}
	rules := make([]Rule, len(names))
	for i, name := range names {
		page, err := fs.ReadFile(pages, name)
		if err != nil {
			panic(err)
		}
		rules[i] = readRule(string(page))
		rules[i].Code = strings.TrimSuffix(name[strings.LastIndex(name, "/")+1:], ".md")
	}
	return rules
}

func readRule(page string) Rule {
	parts := strings.Split(page, "\n## ")
	title, doc, _ := strings.Cut(parts[0], "\n")
	var paragraphs []string
	for p := range strings.SplitSeq(strings.TrimSpace(doc), "\n\n") {
		paragraphs = append(paragraphs, strings.ReplaceAll(p, "\n", " "))
	}
	r := Rule{Name: strings.TrimPrefix(title, "# "), Doc: strings.Join(paragraphs, "\n\n")}
	for _, part := range parts[1:] {
		title, rest, _ := strings.Cut(part, "\n\n```")
		_, example, _ := strings.Cut(rest, "\n")
		example, _, closed := strings.Cut(example, "```\n")
		switch {
		case !closed:
			panic("a page of a rule lacks the end of an example: " + page)
		case title == "Refused":
			r.Bad = example
		case title == "Mended":
			r.Good = example
		default:
			panic("a page of a rule has the section " + title)
		}
	}
	return r
}

// Complete returns rules with every bad example, also those that are large.
func Complete(rules []Rule) []Rule {
	rules = slices.Clone(rules)
	for i, r := range rules {
		if r.Large != nil {
			rules[i].Bad = r.Large()
		}
	}
	return rules
}

// A File is one file of an example.
type File struct {
	Name string
	Text string
}

// Files returns the files of an example. Lines "-- NAME --" separate several files; an example
// without such lines is one file of the given name.
func Files(name, example string) []File {
	if !strings.HasPrefix(example, "-- ") {
		return []File{{name, example}}
	}
	var files []File
	parts := strings.Split("\n"+example, "\n-- ")[1:]
	for i, part := range parts {
		if i < len(parts)-1 {
			part += "\n"
		}
		name, text, _ := strings.Cut(part, " --\n")
		files = append(files, File{name, text})
	}
	return files
}
