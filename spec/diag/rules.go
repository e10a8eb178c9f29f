package diag

import (
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
	for line := range strings.Lines(example) {
		if name, ok := strings.CutPrefix(line, "-- "); ok {
			files = append(files, File{Name: strings.TrimSuffix(name, " --\n")})
			continue
		}
		files[len(files)-1].Text += line
	}
	return files
}
