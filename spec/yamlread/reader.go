// Package yamlread reads languages that are written in YAML: bytes become a tree whose values have places,
// and the mappings of the tree are read by tables of keys. What differs from language to language is
// data: the tables, and a Language. A Reader judges form alone and reports all that is wrong in one pass,
// each mistake once.
package yamlread

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec/diag"
)

// MaxFile is the size of the largest file that is read, in bytes.
const MaxFile = 4 << 20

// maxFindings bounds the diagnostics of one file; the last one has the number of the others.
const maxFindings = 200

// A Language is what the files of one kind do not share with the files of another.
type Language struct {
	File  string // what a file is called: "a spec"
	Begin string // what to do about an empty file: how one begins
	Large string // what to do about a file that is too large
	Next  string // what to do about a second document
	Deep  string // what to do about values that are nested too deep

	Codes

	// Own reads a value to a place whose type this package does not know. It reports whether there
	// is a way.
	Own func(r *Reader, v *Tree, k *Key, to any) bool

	// Foreign returns what to write for a key of another format in a mapping, "" if it is not one; whose names the format
	// where the key is not a misspelling of one that the mapping has.
	Foreign func(mapping string, of *Tree, key string) (whose, help string)

	// Misfits has what to write for keys of words that are often written as values of another kind, by that kind.
	Misfits map[Kind]map[string]string

	// Mappings lists the mappings of the language, to name those that have a key.
	Mappings func() []Mapping
}

// Codes are the codes of what is wrong with keys and values. Those of YAML itself are the same everywhere.
type Codes struct{ Unknown, Missing, Wrong, Unfit, Valueless string }

// A Reader collects what is wrong with a file.
type Reader struct {
	*Language
	file     string
	src      *source
	repaired bool // the source holds U+FFFD instead of what could not be read
	tooDeep  bool // reported
	torn     bool // something of the mapping that is being read is not read
	guessed  Pos  // of a value that is read under the key that its own is taken for
	found    []diag.Diagnostic
	dropped  int // findings beyond maxFindings

	Pieces *Pieces // of earlier texts of the file; nil: none are kept

	// Seen, where it is set, is called for each key of a mapping that has it, before the value is read.
	Seen func(mapping string, k *Key, value *Tree)
}

// New returns the reader of a file; file is its name for diagnostics. The source is the text that
// places refer to, where no text is parsed.
func New(file, source string, l *Language) *Reader {
	return &Reader{Language: l, file: file, src: newSource(source)}
}

// Source returns the text of the file without its byte order mark. U+FFFD replaces what YAML does not allow.
func (r *Reader) Source() string { return r.src.text }

// Count returns how many mistakes have been reported.
func (r *Reader) Count() int { return len(r.found) + r.dropped }

// Found returns the mistakes in file order.
func (r *Reader) Found() []diag.Diagnostic {
	ds := diag.Sort(r.found)
	if r.dropped > 0 {
		last := &ds[len(ds)-1]
		last.Help = diag.Help(strings.TrimPrefix(fmt.Sprintf("%s; the file has %d more mistakes", string(last.Help), r.dropped), "; "))
	}
	return ds
}

// Parse turns a text into a tree. It reports false where the text as a whole cannot be read.
func (r *Reader) Parse(text []byte) (root Tree, ok bool) {
	if !r.admit(slices.Clone(text)) {
		return Tree{}, false
	}
	return r.parse()
}

// admit checks the bytes of the file and makes them the reader's source. It reports
// whether the rest is worth parsing.
func (r *Reader) admit(text []byte) bool {
	top := Pos{Line: 1, Col: 1}
	if len(text) > MaxFile {
		r.Report("GG005", top, fmt.Sprintf("the file has %d bytes, more than the %d MiB %s may have", len(text), MaxFile>>20, r.File), r.Large)
		return false
	}
	if s := string(text[:min(2, len(text))]); s == "\xff\xfe" || s == "\xfe\xff" {
		r.Report("GG003", top, "the file is UTF-16", utf8Help)
		return false
	}
	repaired, badBytes, badChars := repair([]byte(strings.TrimPrefix(string(text), "\ufeff")))
	r.src = newSource(repaired)
	r.repaired = badBytes.count+badChars.count > 0
	if badBytes.count > 0 {
		r.Report("GG003", r.src.place(badBytes.offset), fmt.Sprintf("the byte 0x%X is not UTF-8%s", badBytes.found[0], badBytes.more()), utf8Help)
	}
	if badChars.count > 0 {
		c, _ := utf8.DecodeRuneInString(badChars.found)
		r.Report("GG004", r.src.place(badChars.offset), fmt.Sprintf("the character %U is not allowed%s", c, badChars.more()),
			"remove it, or write it as an escape in double quotes")
	}
	return true
}

const utf8Help = "save the file as UTF-8"

// more is the number of flaws as a message ends with it, "" for one.
func (f *flaw) more() string {
	if f.count == 1 {
		return ""
	}
	return fmt.Sprintf(" (the first of %d such places)", f.count)
}

// Aside reads something without reporting what is wrong with it, and returns that.
func (r *Reader) Aside(read func()) []diag.Diagnostic {
	before, dropped, torn := r.found, r.dropped, r.torn
	r.found, r.dropped = nil, 0
	read()
	found := r.found
	r.found, r.dropped, r.torn = before, dropped, torn
	return found
}

// Report adds an error.
func (r *Reader) Report(code string, pos Pos, message, help string) {
	r.add(diag.Diagnostic{Code: code, Pos: pos, Message: message, Help: diag.Help(help)})
}

// ReportRelated adds an error that another place explains.
func (r *Reader) ReportRelated(code string, pos Pos, message, help string, other Pos, says string) {
	r.add(diag.Diagnostic{Code: code, Pos: pos, Message: message, Help: diag.Help(help),
		Related: []diag.Related{{Pos: other, Message: says}}})
}

func (r *Reader) add(d diag.Diagnostic) {
	if r.guessed.IsSet() && d.Pos == r.guessed {
		return // the key was meant for something else, and has been reported
	}
	if len(r.found) == maxFindings {
		r.dropped++
		return
	}
	d.Severity, d.File, d.Pos = diag.Error, r.file, r.src.contain(d.Pos)
	r.found = append(r.found, d)
}

// Read reads a value to its place, by the type of the place. A value that cannot be read leaves a mark there.
func (r *Reader) Read(v *Tree, k *Key, to any) {
	switch to := to.(type) {
	case *String:
		*to = r.Text(v, k)
	case *Value[int]:
		*to = r.Int(v)
	case *Value[float64]:
		*to = r.Number(v)
	case *Value[bool]:
		*to = r.Bool(v)
	case *Value[time.Duration]:
		*to = r.Duration(v)
	case *[]String:
		*to = r.Names(v, k)
	default:
		if !r.Own(r, v, k, to) {
			panic(fmt.Sprintf("key %s: a %T cannot be read", k.Name, to))
		}
	}
}

// Tear notes that something of the mapping that is being read is not read.
func (r *Reader) Tear() { r.torn = true }

// Mismatch reports a value that does not have the form of its key.
func (r *Reader) Mismatch(v *Tree, k *Key) {
	r.Expected(v, k.Form.Expects, "write it as in "+diag.Item(cmp.Or(k.Example, k.Form.Example)))
}

// Expected reports a value that is not what was expected.
func (r *Reader) Expected(v *Tree, want, help string) {
	switch {
	case v.Kind == Unreadable:
	case v.IsScalar() && strings.ContainsAny(v.Text, oddBlanks) && r.reportBlank(v.Pos.Line):
	case v.Kind == Null:
		r.Report(r.Valueless, v.Pos, "expected "+want+", found nothing", help)
	default:
		r.Report(r.Wrong, v.Pos, "expected "+want+", found "+v.Found(), help)
	}
}

// ReportEmpty reports a key without a value.
func (r *Reader) ReportEmpty(key String, value *Tree, k *Key) {
	pos := key.Pos
	if value.Text != "" {
		pos = value.Pos
	}
	r.Report(r.Valueless, pos, fmt.Sprintf("the key %s has no value, expected %s", Quote(key.V), k.expects()), k.filled(diag.Set(key.V, k.example())))
}
