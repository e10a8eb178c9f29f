package mcp

import "strconv"

// A scanner looks through a JSON-RPC message that is too long to be kept, for what it is: a
// response, and to which call. Of the message it holds no more than a key and an ID.
type scanner struct {
	seen     int // bytes
	depth    int
	inString bool
	escaped  bool
	isKey    bool   // the string that is open, or was last at depth 1, is a key
	key      []byte // of depth 1, the last one
	inValue  bool   // after the colon of the last key
	id       []byte // as it is written
	request  bool   // there is a method
}

const (
	maxKey = 16
	maxID  = 32
)

// feed continues through the message.
func (s *scanner) feed(part []byte) {
	s.seen += len(part)
	for _, c := range part {
		if s.inString {
			s.text(c)
		} else {
			s.mark(c)
		}
	}
}

// text scans a byte of a string.
func (s *scanner) text(c byte) {
	ends := c == '"' && !s.escaped
	s.escaped = c == '\\' && !s.escaped
	s.inString = !ends
	switch {
	case s.depth != 1:
	case s.inValue:
		s.value(c)
	case s.isKey && !ends && len(s.key) < maxKey:
		s.key = append(s.key, c)
	}
}

// mark scans a byte outside of strings.
func (s *scanner) mark(c byte) {
	switch c {
	case '"':
		s.inString = true
		if s.depth == 1 && !s.inValue {
			s.isKey, s.key = true, s.key[:0]
		}
		s.value(c)
	case '{', '[':
		s.depth++
		s.inValue = s.inValue && s.depth > 1
	case '}', ']':
		s.depth--
	case ':':
		if s.depth == 1 {
			s.inValue = true
			s.request = s.request || string(s.key) == "method"
		}
	case ',':
		if s.depth == 1 {
			s.inValue, s.isKey = false, false
		}
	case ' ', '\t', '\r', '\n':
	default:
		s.value(c)
	}
}

// value keeps a byte of the ID.
func (s *scanner) value(c byte) {
	if s.depth == 1 && s.inValue && string(s.key) == "id" && len(s.id) < maxID {
		s.id = append(s.id, c)
	}
}

// call returns the ID of the call that the message answers. This client numbers its calls.
func (s *scanner) call() (int64, bool) {
	if s.request {
		return 0, false
	}
	id, err := strconv.ParseInt(string(s.id), 10, 64)
	return id, err == nil
}
