package scenario

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// Scenario files are read by tables, as specs are.
type (
	Key = yamlread.Key

	reader       = yamlread.Reader
	table[T any] = yamlread.Table[T]
	row[T any]   yamlread.Row[T]
)

// A Value is a value of a scenario file with its place. Its type is the graph's to know.
type Value = yamlread.Tree

// language is the language of scenario files. It has one code for every value that cannot be read.
var language = yamlread.Language{
	File:  "a scenario file",
	Begin: "a scenario file begins with `graph: NAME.graph.yaml` and `scenarios:`",
	Large: "split the file",
	Next:  "write all scenarios of a graph as one list",
	Deep:  "write less in one place",
	Codes: yamlread.Codes{Unknown: "GG201", Missing: "GG202", Wrong: "GG203", Unfit: "GG203", Valueless: "GG203"},
	Own:   own,
}

// Load reads a scenario file; path is its name for diagnostics. It judges form alone: what
// the names mean is the graph's to say. The file is nil when it is not YAML as the language allows
// it; else it holds all that could be read.
func Load(path string, text []byte) (*File, []diag.Diagnostic) {
	r := yamlread.New(path, "", &language)
	root, ok := r.Parse(text)
	if !ok || r.Count() > 0 {
		return nil, r.Found()
	}
	f := &File{Path: path, Source: text}
	yamlread.Read(r, &root, &fileKeys, f)
	unique(r, f)
	return f, r.Found()
}

// unique leaves out scenarios without a name, and reports scenarios with the name of one before.
func unique(r *reader, f *File) {
	first := make(map[string]spec.Pos)
	f.Scenarios = slices.DeleteFunc(f.Scenarios, func(s *Scenario) bool { return s.Name.V == "" })
	for _, s := range f.Scenarios {
		if before, dup := first[s.Name.V]; dup {
			r.ReportRelated("GG204", s.Name.Pos, "a second scenario has the name "+quote(s.Name.V), "name what this one is about",
				before, "the first one is here")
		} else {
			first[s.Name.V] = s.Name.Pos
		}
	}
}

func quote(s string) string { return yamlread.Quote(s) }

// parseValues reads a mapping of fields to values.
func parseValues(path string, text []byte) (*Value, []diag.Diagnostic) {
	r := yamlread.New(path, "", &language)
	root, _ := r.Parse(text)
	return &root, r.Found()
}
