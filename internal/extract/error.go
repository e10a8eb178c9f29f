package extract

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/quote"
	"github.com/graphgen/graphgen/runtime/codec"
)

// An Error is the reason why no value of an answer could be decoded, in words for the model that wrote it.
type Error struct {
	Want Kind
	Near string // the text before the mistake, or the beginning of an answer without JSON
	Err  error  // of the decoder; nil: the answer has no value of the kind
}

var (
	errTooLong = errors.New("the answer is longer than " + strconv.Itoa(MaxSize) + " bytes")
	errOther   = errors.New("it is of another kind")
)

func (e *Error) Error() string {
	switch {
	case e.Err == nil && e.Near == "":
		return "the answer is empty, want " + e.Want.String()
	case e.Err == nil:
		return "the answer holds no value to read, want " + e.Want.String() + "; it begins " + quote.Text(e.Near)
	case e.Near == "":
		return e.Err.Error()
	}
	return e.Err.Error() + ", after " + quote.Text(e.Near)
}

// Unwrap returns the decoder's error.
func (e *Error) Unwrap() error { return e.Err }

// String returns the kinds in words: "a JSON object or a JSON list".
func (k Kind) String() string {
	var names []string
	for i, name := range kindNames {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

var kindNames = [...]string{"a JSON object", "a JSON list", "a JSON string", "a number", "true or false", "null"}

// A failure is why a candidate was not accepted.
type failure struct {
	err    error
	reach  int  // how far in the text the candidate is JSON, if it is not all
	syntax bool // it is not
}

// note keeps the failure of the candidate that begins at byte start, if it is more useful than
// the kept one. JSON that does not fit is more useful than a syntax error, and a later syntax
// error more than an earlier one.
func (f *failure) note(start int, err error) {
	var syntax *codec.Error
	broken := errtree.As(err, &syntax, func(err error) (ok bool) { syntax, ok = err.(*codec.Error); return ok }) && syntax.Syntax
	reach := 0
	if broken {
		reach = start + syntax.Offset
	}
	if f.err == nil || f.syntax && (!broken || reach > f.reach) {
		*f = failure{err, reach, broken}
	}
}

// result returns the error of the search, nil if a candidate was accepted.
func (s *search) result() error {
	const enough = 60 // bytes, to find the place by
	f := s.wrong
	switch {
	case s.found:
		return nil
	case f.err == nil:
		return &Error{Want: s.want, Near: s.text[:runeStart(s.text, min(enough, len(s.text)))]}
	case !f.syntax:
		return f.err
	}
	end := runeStart(s.text, min(f.reach, len(s.text)))
	return &Error{Want: s.want, Near: s.text[runeStart(s.text, max(0, end-enough)):end], Err: f.err}
}

// runeStart returns the beginning of the character at that byte of the text.
func runeStart(text string, i int) int {
	for n := 0; n < utf8.UTFMax && i > 0 && i < len(text) && !utf8.RuneStart(text[i]); n++ {
		i--
	}
	return i
}
