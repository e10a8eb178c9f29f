package diag

import "strings"

// A Rule documents a code. graphgen explain prints it, and a test checks its examples.
type Rule struct {
	Code string // "GG012"
	Name string // "unknown-key"
	Doc  string // what is wrong, and why it matters
	Bad  string // a spec that yields exactly this code; for several files see Files
	Good string // the same spec without the mistake
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
