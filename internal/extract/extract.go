// Package extract finds the JSON value in the answer of a model: clean, in a fenced block,
// or within prose.
//
// It finds values and does not repair them. It never takes a part of a value for the answer: not
// of a list where an object was requested, nor of a value that is cut short. Time is
// proportional to the text, and it uses next to no memory.
package extract

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A Kind is which JSON values an answer may be. Kinds may be added up.
type Kind uint8

// The kinds of JSON values.
const (
	Object Kind = 1 << iota
	List
	Text
	Number
	Bool
	Null
)

const (
	brackets = Object | List
	scalars  = Text | Number | Bool | Null
)

// The bounds of a search.
const (
	MaxCandidates = 16            // tried at most; what follows them is ignored
	MaxSize       = codec.MaxSize // bytes of an answer
)

// JSON finds a value of the kind in the text of an answer, and calls try with it. try
// decodes it, refuses values of other kinds, and must not keep anything of a failure. The
// first candidate that try accepts ends the search. Candidates are, in this order:
//
//   - the whole text, without surrounding white space, and without the reasoning of a model
//     before </think>;
//   - the values in fenced blocks (``` or ~~~, closed or not), in the order of the text;
//   - the outermost objects and lists outside of them;
//   - of texts, numbers and bools, the only one in the text.
//
// Each is a part of the text. A candidate for a text may lack quotes, if it is the whole of
// the answer or of a fenced block: try may take it unchanged.
//
// If none is accepted, the error is about the first candidate that is JSON at all, or
// else about the one with the longest valid prefix. It is an *Error without a candidate, or
// if the position of the mistake helps. An answer over MaxSize is refused, with an *Error.
func JSON(text string, want Kind, try func(json string) error) error {
	if len(text) > MaxSize {
		return &Error{Want: want, Err: errTooLong}
	}
	s := search{text: answer(text), want: want}
	if s.text == "" || s.whole(try) || s.inside(fenced, try) || s.inside(unfenced, try) || s.only(try) {
		return s.result()
	}
	s.doubtful(try)
	return s.result()
}

// Find returns the first candidate that is JSON of the kind, with any content.
func Find(text string, want Kind) (json string, found bool) {
	var v jsontext.Value
	err := JSON(text, want, func(candidate string) error {
		if want&starts(candidate) == 0 {
			return errOther
		}
		json = candidate
		return codec.UnmarshalString(candidate, codec.Into(&v, codec.ReadAny))
	})
	if err != nil {
		return "", false
	}
	return json, true
}

// answer returns the text without what is not the answer: white space around it, a byte
// order mark, and the thoughts in front of it, of which some servers keep only the end tag.
func answer(text string) string {
	const thought, mark = "</think>", "\ufeff"
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), mark))
	if text == "" || strings.IndexByte(`{["`, text[0]) >= 0 {
		return text
	}
	if i := strings.LastIndex(text, thought); i >= 0 {
		if rest := strings.TrimSpace(text[i+len(thought):]); rest != "" {
			return rest
		}
	}
	return text
}

// A decoder is the caller's. It is handed on, not kept in a search, so that it need not be
// allocated.
type decoder = func(json string) error

// A search is one for the value in a text.
type search struct {
	text string
	want Kind

	tries int
	found bool
	wrong failure // of the best candidate, if none is accepted
	other part    // the first value that is not of the kind wanted
}

// A part of the text.
type part struct{ start, end int }

// attempt tries a part of the text, and reports whether the search is over.
func (s *search) attempt(p part, try decoder) bool {
	if s.tries == MaxCandidates {
		return true
	}
	s.tries++
	err := try(s.text[p.start:p.end])
	if err == nil {
		s.found = true
		return true
	}
	s.wrong.note(p.start, err)
	return false
}

// whole tries the whole text. The search is over, too, if the text is one object or list and
// nothing else, or the beginning of one: what is inside of it is not an answer.
func (s *search) whole(try decoder) bool {
	all := part{0, len(s.text)}
	if s.text[0] != '{' && s.text[0] != '[' {
		return s.want&scalars != 0 && s.attempt(all, try)
	}
	before := s.wrong
	if s.attempt(all, try) {
		return true
	}
	end, closed := valueEnd(s.text, 0)
	if end < len(s.text) { // the error is about the following text
		s.wrong = before
		return false
	}
	return closed || opens(s.text, 0)
}

// inside tries the values in all parts of the text that are fenced, or that are not. For
// scalars it also tries the whole content of a fenced block.
func (s *search) inside(which fencing, try decoder) bool {
	for b := (blocks{text: s.text}); b.next(); {
		if b.fencing != which {
			continue
		}
		p, filled := trimmed(s.text, b.part), false
		if which == fenced && p.end > p.start {
			if s.want&scalars != 0 && s.attempt(p, try) {
				return true
			}
			filled = fills(s.text, p)
		}
		if s.want&brackets != 0 && s.values(p, filled, try) {
			return true
		}
	}
	return false
}

// values tries the outermost objects and lists of a part; if it is filled by one, that is one
// whatever is in it.
func (s *search) values(p part, filled bool, try decoder) bool {
	text := s.text[:p.end]
	for i := p.start; i < len(text); i++ {
		if text[i] != '{' && text[i] != '[' || !filled && !opens(text, i) {
			continue
		}
		end, _ := valueEnd(text, i)
		switch v := (part{i, end}); {
		case s.want&kindOf(text[i]) != 0:
			if s.attempt(v, try) {
				return true
			}
		case s.other.end == 0:
			s.other = v
		}
		i = end - 1
	}
	return false
}

// only tries the text, number or bool that is the only one in prose: where there are two,
// none is the answer.
func (s *search) only(try decoder) bool {
	if s.want&scalars == 0 {
		return false
	}
	var one part
	var kind Kind
	for w := (words{text: s.text, quoted: s.want&Text != 0}); w.next(); {
		if w.kind&s.want == 0 {
			continue
		}
		if one.end > 0 && s.text[one.start:one.end] != s.text[w.start:w.end] {
			return false
		}
		one, kind = w.part, w.kind
	}
	if one.end == 0 || kind == Number && !isNumber(s.text[one.start:one.end]) {
		return false
	}
	return s.attempt(one, try)
}

// doubtful tries text that is JSON only by mistake, if nothing better was found. It serves
// the error message alone.
func (s *search) doubtful(try decoder) {
	if s.wrong.err != nil || s.want&brackets == 0 {
		return
	}
	if s.other.end > 0 {
		s.attempt(s.other, try)
		return
	}
	open, closed := "[", "]"
	if s.want&Object != 0 {
		open, closed = "{", "}"
	}
	start := strings.Index(s.text, open)
	if start < 0 {
		return
	}
	end := strings.LastIndex(s.text, closed) + 1
	if end <= start {
		end = len(s.text)
	}
	if strings.Trim(s.text[start+1:end], " \t\r\n"+closed) != "" {
		s.attempt(part{start, end}, try)
	}
}
