// Package jsonscan finds the structure of JSON that may be broken or too long to keep: it distinguishes brackets, commas and colons from the content of
// strings, a byte at a time, and refuses nothing. Package codec reads JSON strictly.
package jsonscan

// A Scanner scans one text. The zero Scanner is at its beginning.
type Scanner struct {
	Depth    int // of the open objects and lists; brackets are counted, not matched
	inString bool
	escaped  bool
}

// A Mark is what a byte is in its text.
type Mark uint8

// The marks.
const (
	Other Mark = iota // of a number or a word, or not JSON
	Space             // between tokens
	Open              // the bracket of an object or a list, which the depth has
	Close             // likewise, and the depth does not have it
	Comma
	Colon
	Quote    // the first of a string
	Content  // of a string
	EndQuote // the last of a string
)

// Next scans the next byte.
func (s *Scanner) Next(c byte) Mark {
	if s.inString {
		switch {
		case s.escaped:
			s.escaped = false
		case c == '\\':
			s.escaped = true
		case c == '"':
			s.inString = false
			return EndQuote
		}
		return Content
	}
	switch c {
	case '"':
		s.inString = true
		return Quote
	case '{', '[':
		s.Depth++
		return Open
	case '}', ']':
		s.Depth--
		return Close
	case ',':
		return Comma
	case ':':
		return Colon
	case ' ', '\t', '\r', '\n':
		return Space
	}
	return Other
}
