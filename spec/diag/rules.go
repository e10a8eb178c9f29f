package diag

import "strings"

// A Rule documents a code: graphgen explain prints it, and a test holds its examples.
type Rule struct {
	Code string // "GG012"
	Name string // "unknown-key"
	Doc  string // what is wrong, and why it matters
	Bad  string // a spec that yields exactly this code; of several files, as Files reads them
	Good string // the same spec without the mistake
}

// A File is one file of an example.
type File struct {
	Name string
	Text string
}

// Files returns the files of an example: several where it consists of lines "-- NAME --",
// each with its file's text behind it; else one of the given name.
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
