package mcp

import (
	"strconv"

	"github.com/graphgen/graphgen/internal/jsonscan"
)

// A scanner looks through a JSON-RPC message that is too long to be kept, for what it is: a
// response, and to which call. Of the message it holds no more than a key and an ID.
type scanner struct {
	jsonscan.Scanner
	seen    int    // bytes
	isKey   bool   // the string that is open, or was last at depth 1, is a key
	key     []byte // of depth 1, the last one
	inValue bool   // after the colon of the last key
	id      []byte // as it is written
	request bool   // there is a method
}

const (
	maxKey = 16
	maxID  = 32
)

// feed continues through the message.
func (s *scanner) feed(part []byte) {
	s.seen += len(part)
	for _, c := range part {
		s.scan(c)
	}
}

// scan takes in a byte. Only what is directly in the message counts.
func (s *scanner) scan(c byte) {
	mark := s.Next(c)
	if s.Depth != 1 {
		return
	}
	switch mark {
	case jsonscan.Quote:
		if !s.inValue {
			s.isKey, s.key = true, s.key[:0]
		}
		s.value(c)
	case jsonscan.Content:
		if s.isKey && !s.inValue && len(s.key) < maxKey {
			s.key = append(s.key, c)
		}
		s.value(c)
	case jsonscan.EndQuote, jsonscan.Other:
		s.value(c)
	case jsonscan.Open:
		s.inValue = false
	case jsonscan.Colon:
		s.inValue = true
		s.request = s.request || string(s.key) == "method"
	case jsonscan.Comma:
		s.inValue, s.isKey = false, false
	}
}

// value keeps a byte of the ID.
func (s *scanner) value(c byte) {
	if s.inValue && string(s.key) == "id" && len(s.id) < maxID {
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
