package lsp

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
)

// A slot is what a value may be, by the tables of the language.
type slot struct {
	key      *spec.Key     // whose value it is, or is in; nil: nothing is known
	mappings []string      // it may be a mapping with the keys of these
	entries  func() slot   // it may be a mapping of names to values
	items    func() slot   // it may be a list
	words    []spec.Word   // it may be one of these
	names    string        // a scalar is the name of an entry of this mapping
	keyed    string        // of a mapping of names: these name entries of a mapping
	declares string        // of a mapping of names: these declare entries of a mapping
	code     bool          // a scalar is a Go expression
	types    bool          // a scalar is a type
	prompt   bool          // a scalar has placeholders
	free     bool          // nothing of the language is below it
	of       *spec.Mapping // the mapping whose key it is
}

// A language finds slots.
type language struct{ mappings map[string]*spec.Mapping }

var specLanguage = newLanguage()

func newLanguage() *language {
	l := &language{mappings: map[string]*spec.Mapping{}}
	for _, m := range spec.Reference() {
		l.mappings[m.Name] = &m
	}
	for _, m := range spec.Reference() {
		for i := range m.Keys {
			l.words(&m.Keys[i])
		}
	}
	return l
}

// instead returns a mapping and the mappings that may replace it.
func (l *language) instead(name string) (list []string) {
	if l.mappings[name] != nil {
		list = append(list, name)
	}
	for _, m := range spec.Reference() {
		if m.Instead == name && name != "graph" {
			list = append(list, m.Name)
		}
	}
	return list
}

// named are the forms of mappings of names to mappings: the names declare something.
var named = map[*spec.Form]bool{
	spec.FormFields: true, spec.FormStruct: true, spec.FormTools: true, spec.FormServers: true, spec.FormNodes: true,
	spec.FormTemplates: true, spec.FormSkills: true, spec.FormParams: true, spec.FormEvals: true,
}

// value returns the slot of the value of a key.
func (l *language) value(k *spec.Key) slot {
	s := slot{key: k, names: k.Names}
	scalar := slot{key: k, names: k.Names, words: k.Words}
	constant := func(s slot) func() slot { return func() slot { return s } }
	switch f := k.Form; {
	case f == spec.FormMapping:
		s.mappings = []string{k.Of}
	case f == spec.FormPrompt:
		s.mappings, s.prompt = []string{k.Of}, true
	case f == spec.FormCondition:
		s.code = true
	case named[f]:
		s.declares = k.Of
		inner := slot{key: k, mappings: []string{k.Of}, types: f == spec.FormFields || f == spec.FormStruct}
		s.entries = constant(inner)
	case f == spec.FormTypes:
		s.declares, s.entries = "type", func() slot { return l.typeSlot(k) }
	case f == spec.FormType:
		return l.typeSlot(k)
	case f == spec.FormUnion:
		s.entries = func() slot { return l.typeSlot(k) }
	case f == spec.FormTypeText:
		s.types = true
	case f == spec.FormBlocks:
		s.items = constant(slot{key: k, mappings: []string{k.Of}})
	case f == spec.FormEdges:
		s.items = constant(slot{key: k, mappings: l.instead(k.Of)})
	case f == spec.FormAsserts:
		s.items = constant(slot{key: k, mappings: []string{k.Of}})
	case f == spec.FormGuards:
		s.entries = constant(slot{key: k, mappings: []string{k.Of}})
		s.items = constant(slot{key: k, entries: s.entries})
	case f == spec.FormFlags, f == spec.FormProcessors:
		s.words = k.Words
		one := slot{key: k, words: k.Words, mappings: []string{wordMapping + k.Name}}
		s.items, s.mappings = constant(one), one.mappings
	case f == spec.FormWord:
		s.words = k.Words
	case f == spec.FormWords:
		s.words, s.items = k.Words, constant(scalar)
	case f == spec.FormNames, f == spec.FormNameList, f == spec.FormEnum:
		s.items = constant(scalar)
	case f == spec.FormNameTable:
		s.keyed, s.names, s.entries = k.Keyed, "", constant(scalar)
	case f == spec.FormBody:
		s.items, s.mappings = constant(scalar), []string{k.Of}
	case f == spec.FormBranches:
		s.names, s.entries = "", constant(slot{key: k, names: k.Names, items: constant(scalar), mappings: []string{k.Of}})
	case f == spec.FormValues:
		s.keyed, s.entries = k.Keyed, constant(slot{key: k, code: true})
	case f == spec.FormAny:
		s.free = true
	case k.Name == "say":
		s.prompt = true
	}
	return s
}

// wordMapping is how the mappings of words with settings are called: of a flag, its name with its settings.
const wordMapping = "words of "

// words makes a mapping of the words of a key that have settings.
func (l *language) words(k *spec.Key) {
	if k.Form != spec.FormFlags && k.Form != spec.FormProcessors {
		return
	}
	name := wordMapping + k.Name
	m := &spec.Mapping{Name: name, Noun: "a word"}
	for _, w := range k.Words {
		if w.Of != "" {
			m.Keys = append(m.Keys, spec.Key{Name: w.Name, Doc: w.Doc, Form: spec.FormMapping, Of: w.Of})
		}
	}
	l.mappings[name] = m
}

// typeSlot returns the slot of a type.
func (l *language) typeSlot(k *spec.Key) slot {
	return slot{key: k, types: true, mappings: l.instead("type"), entries: func() slot {
		return slot{key: k, types: true, mappings: []string{"field"}}
	}}
}

// key returns the key of a name in the mappings of a slot, nil without one.
func (l *language) key(s *slot, name string) (*spec.Mapping, *spec.Key) {
	for _, mapping := range s.mappings {
		m := l.mappings[mapping]
		if m == nil {
			continue
		}
		for i := range m.Keys {
			if m.Keys[i].Name == name {
				return m, &m.Keys[i]
			}
		}
	}
	return nil, nil
}

// A read is the outline of a file, with what the language allows at each entry.
type read struct {
	text    []byte
	entries []entry
	slots   []slot      // of the values
	keys    []*spec.Key // of the entries that are keys of the language
	ends    []int       // the entries that give ends of the graph names
	root    slot
}

// readOutline makes the outline of a file whose content is a mapping.
func readOutline(text []byte, mapping string) *read {
	r := &read{text: text, entries: outlineOf(text), root: slot{mappings: []string{mapping}}}
	r.slots, r.keys = make([]slot, len(r.entries)), make([]*spec.Key, len(r.entries))
	for i := range r.entries {
		e := &r.entries[i]
		in := r.around(i)
		switch {
		case in.free:
			r.slots[i] = slot{free: true}
		case e.item:
			if in.items != nil {
				r.slots[i] = in.items()
			}
		default:
			if m, k := specLanguage.key(in, e.key); k != nil {
				r.keys[i], r.slots[i] = k, specLanguage.value(k)
				r.slots[i].of = m
			} else if in.entries != nil {
				r.slots[i] = in.entries()
			}
		}
		if k := r.slots[i].key; k != nil && k.Name == "ends" && e.style.isScalar() {
			r.ends = append(r.ends, i)
		}
	}
	return r
}

// around returns the slot that an entry is in.
func (r *read) around(i int) *slot {
	if p := r.entries[i].parent; p >= 0 {
		return &r.slots[p]
	}
	return &r.root
}

// children returns the entries in an entry; -1 is the file.
func (r *read) children(of int) (list []int) {
	for i := of + 1; i < len(r.entries); i++ {
		if r.entries[i].parent == of {
			list = append(list, i)
		} else if of >= 0 && r.entries[i].parent < of {
			break
		}
	}
	return list
}

// child returns the entry of a key in an entry, -1 without one.
func (r *read) child(of int, key string) int {
	for _, i := range r.children(of) {
		if r.entries[i].key == key && !r.entries[i].bare {
			return i
		}
	}
	return -1
}

// at returns the innermost entry at a place, -1 without one.
func (r *read) at(offset int) int {
	found := -1
	for i := range r.entries {
		e := &r.entries[i]
		if e.keyAt <= offset && offset <= e.to && (found < 0 || e.keyAt >= r.entries[found].keyAt) {
			found = i
		}
	}
	return found
}

// onKey reports whether a place is in the key of an entry.
func (e *entry) onKey(offset int) bool { return !e.item && e.keyAt <= offset && offset <= e.key2 }

// inScalar reports whether a place is in the scalar of an entry.
func (e *entry) inScalar(offset int) bool {
	return e.style.isScalar() && e.at <= offset && offset <= e.end
}

// keyText returns the key of an entry as it is written.
func (e *entry) keyText(text []byte) written {
	w := written{raw: string(text[e.keyAt:e.key2]), at: e.keyAt, style: plain}
	if e.keyAt > 0 && !e.item {
		switch text[e.keyAt-1] {
		case '"':
			w.style = double
		case '\'':
			w.style = single
		}
	}
	return w
}

// scalar returns the scalar of an entry as it is written.
func (e *entry) scalar(text []byte) written {
	if !e.style.isScalar() {
		return written{}
	}
	return written{raw: string(text[e.at:e.end]), at: e.at, style: e.style}
}

// A written is a scalar as it is written, without its quotes.
type written struct {
	raw   string
	at    int // its first byte
	style style
}

// decode returns the text of a scalar in one line.
func decode(w written) string {
	text, _ := w.decode()
	return text
}

// escapes are the escapes of YAML for one character, in double quotes.
var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '0': "\x00", 'a': "\a", 'b': "\b", 'f': "\f", 'v': "\v", 'e': "\x1b",
	'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029"}

// escapeDigits are the digits of the escapes with a number.
var escapeDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// decode returns the text of a scalar, and for each of its bytes, and its end, where it is written.
func (w written) decode() (text string, places []int) {
	var b strings.Builder
	put := func(s string, at int) {
		for range len(s) {
			places = append(places, w.at+at)
		}
		b.WriteString(s)
	}
	for i := 0; i < len(w.raw); {
		c := w.raw[i]
		switch {
		case w.style == single && strings.HasPrefix(w.raw[i:], "''"):
			put("'", i)
			i += 2
		case w.style == double && c == '\\' && i+1 < len(w.raw):
			n := escapeDigits[w.raw[i+1]]
			if code, err := strconv.ParseUint(w.raw[min(i+2, len(w.raw)):min(i+2+n, len(w.raw))], 16, 32); n > 0 && err == nil {
				put(string(rune(code)), i)
				i += 2 + n
				continue
			}
			s, ok := escapes[w.raw[i+1]]
			if !ok {
				s = w.raw[i+1 : i+2]
			}
			put(s, i)
			i += 2
		default:
			_, size := utf8.DecodeRuneInString(w.raw[i:])
			put(w.raw[i:i+size], i)
			i += size
		}
	}
	return b.String(), append(places, w.at+len(w.raw))
}

// placeholderText matches a placeholder, or the text of its braces.
var placeholderText = regexp.MustCompile(`\{\{\{\{|\{\{([^{}\n]*)\}\}`)

// placeholders returns the places of the placeholders of a text, with their braces, and of the names in them.
func placeholders(text string) (list [][4]int) {
	for _, m := range placeholderText.FindAllStringSubmatchIndex(text, -1) {
		if m[2] >= 0 {
			name := text[m[2]:m[3]]
			from := m[2] + len(name) - len(strings.TrimLeft(name, " "))
			list = append(list, [4]int{m[0], m[1], from, max(from, m[2]+len(strings.TrimRight(name, " ")))})
		}
	}
	return list
}

// namesIn returns the names of the entries that a section of the file declares, in order.
func (r *read) namesIn(section string) (list []int) {
	at := slices.IndexFunc(r.entries, func(e entry) bool { return e.parent == -1 && e.key == section && !e.bare })
	if at < 0 {
		return nil
	}
	return slices.DeleteFunc(r.children(at), func(i int) bool { return r.entries[i].bare || r.entries[i].item })
}
