package draft

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A Dialect is a foreign format of graphs.
type Dialect struct {
	Name     string             // as it is named on the command line
	Doc      string             // whose format it is
	Mappings []yamlread.Mapping // what the format has; the doc of a key is what it becomes
	Words    []Words
	Read     func(*File) []*Draft
}

// Words are words of a format with what they become, besides its keys.
type Words struct {
	Title string
	Rows  []yamlread.Word
}

// A File is a foreign file that is imported.
type File struct {
	Name string // for diagnostics
	Text []byte

	// Open reads a file that the foreign file names, by its path relative to it, with slashes. It
	// returns the path for messages. nil: there are no other files.
	Open func(path string) (shown string, text []byte, err error)

	Whole bool // the specs name no other files

	source string // the text as it was read
	found  []diag.Diagnostic
	once   map[string]bool
}

// language returns the language of a foreign file.
func language(of string, mappings func() []yamlread.Mapping, own func(*yamlread.Reader, *Tree, *yamlread.Key, any) bool) *yamlread.Language {
	return &yamlread.Language{
		File:     of,
		Begin:    "the file holds no graph",
		Large:    "split the file",
		Next:     "give every graph a file of its own",
		Deep:     "values of the format are not nested so deep",
		Codes:    yamlread.Codes{Unknown: "GG353", Missing: "GG354", Wrong: "GG355", Unfit: "GG355", Valueless: "GG356"},
		Own:      own,
		Mappings: mappings,
	}
}

// Parse reads the foreign file by the table of its root. own reads values to places that package yamlread
// does not know, besides a *Tree, which takes any value. It reports false where the file as a whole cannot be read.
func Parse[T any](f *File, noun string, mappings func() []yamlread.Mapping, t *yamlread.Table[T], to *T, own func(*yamlread.Reader,
	*Tree, *yamlread.Key, any) bool) bool {
	r := yamlread.New(f.Name, "", language(noun, mappings,
		func(r *yamlread.Reader, v *Tree, k *yamlread.Key, place any) bool {
			if to, ok := place.(*Tree); ok {
				*to = *v
				return true
			}
			return own(r, v, k, place)
		}))
	root, ok := r.Parse(f.Text)
	f.source = r.Source()
	if ok && root.Kind != yamlread.Unreadable {
		yamlread.Read(r, &root, t, to)
	}
	f.found = append(f.found, r.Found()...)
	return ok && root.Kind == yamlread.Map
}

// Failed reports whether the file has errors.
func (f *File) Failed() bool { return diag.HasErrors(f.found) }

// Error reports a mistake of the file.
func (f *File) Error(code string, pos Pos, message, help string) {
	f.report(diag.Error, code, pos, message, help)
}

// Warn reports what is lost, or is no longer the same.
func (f *File) Warn(code string, pos Pos, message, help string) {
	f.report(diag.Warning, code, pos, message, help)
}

// Note reports what the importer has decided.
func (f *File) Note(code string, pos Pos, message, help string) {
	f.report(diag.Note, code, pos, message, help)
}

// Once reports whether it is called with a key for the first time: for what is reported once in a file.
func (f *File) Once(key string) bool {
	if f.once == nil {
		f.once = map[string]bool{}
	}
	had := f.once[key]
	f.once[key] = true
	return !had
}

func (f *File) report(s diag.Severity, code string, pos Pos, message, help string) {
	if !pos.IsSet() {
		pos = Pos{Line: 1, Col: 1}
	}
	f.found = append(f.found, diag.Diagnostic{Code: code, Severity: s, File: f.Name, Pos: pos, Message: message, Help: diag.Help(help)})
}

// A Source is a text that the foreign file has, or that it has elsewhere.
type Source struct {
	Text string
	Pos  Pos
	From string // the file that it was read from; "": it is in the foreign file
}

// maxText is the most bytes of a text that is read from another file.
const maxText = 1 << 20

// File reads the text of a file that the foreign file names. It reports false, and a diagnostic, where the
// file cannot be read.
func (f *File) File(name String) (Source, bool) {
	shown, text, err := f.open(name.V)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Error("GG364", name.Pos, "the file "+yamlread.Quote(name.V)+" is not there", "paths are relative to the folder of "+path.Base(f.Name))
	case err != nil:
		f.Error("GG364", name.Pos, "the file "+yamlread.Quote(name.V)+" cannot be read: "+err.Error(), "")
	case len(text) > maxText:
		f.Error("GG364", name.Pos, "the file "+yamlread.Quote(name.V)+" has more than 1 MiB", "")
	default:
		return Source{Text: clean(text), Pos: name.Pos, From: shown}, true
	}
	return Source{Pos: name.Pos}, false
}

// open reads another file. It refuses paths that are not relative.
func (f *File) open(name string) (shown string, text []byte, err error) {
	if f.Open == nil || strings.Contains(name, "\x00") {
		return "", nil, fs.ErrNotExist
	}
	return f.Open(name)
}

// clean returns a text without byte order mark and carriage returns, as valid UTF-8.
func clean(text []byte) string {
	s := strings.TrimPrefix(strings.ToValidUTF8(string(text), "\ufffd"), "\ufeff")
	return strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
}
