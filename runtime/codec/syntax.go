package codec

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/internal/quote"
)

// notJSON returns the error of a text of which the byte at an offset is the first that is wrong.
func notJSON(at int, message string) *Error {
	return &Error{Message: message, Syntax: true, Offset: at}
}

// repeated refuses a member that an object has already, whose name begins there.
func (d *Decoder) repeated(at int) {
	d.pos = at
	name, _ := d.str()
	d.stop(problem{at: at, message: "duplicate key " + quoted(name), syntax: true, offset: at})
}

// mistake returns what is wrong after the text before, which JSON may begin with. open are the containers around it.
func (d *Decoder) mistake(before string, open []container) *Error {
	d.pos = len(before)
	c := d.peek()
	if c == 0 && d.pos == len(d.text) {
		if before == "" {
			return notJSON(0, "the document is empty")
		}
		return d.misses(d.pos, "")
	}
	object := len(open) > 0 && !open[len(open)-1].list
	switch {
	case before == "" || strings.IndexByte("[:,", before[len(before)-1]) >= 0 && !(object && open[len(open)-1].fresh):
		return d.noValue(c)
	case len(open) == 0:
		return notJSON(d.pos, "data after the end of the document")
	case !object:
		return d.misses(d.pos, "after list element (expecting ',' or ']')")
	case !open[len(open)-1].fresh:
		return d.misses(d.pos, "after object value (expecting ',' or '}')")
	case before[len(before)-1] == '"':
		return d.misses(d.pos, "after object name (expecting ':')")
	case c == '"':
		return d.noString()
	}
	return d.misses(d.pos, `at start of object name (expecting '"')`)
}

// misses returns the error for a byte that may not be there, or for a text that ends there.
func (d *Decoder) misses(at int, where string) *Error {
	if at >= len(d.text) {
		return notJSON(len(d.text), "the document is cut short")
	}
	r, size := utf8.DecodeRuneInString(d.text[at:])
	if r == utf8.RuneError && size == 1 {
		return wrongSyntax(at, "invalid UTF-8")
	}
	return wrongSyntax(at, "invalid character "+quote.Rune(r)+" "+where)
}

func wrongSyntax(at int, reason string) *Error {
	return notJSON(at, "no valid JSON: "+reason+", at byte "+strconv.Itoa(at))
}

// noValue returns why no value begins with the next byte, which is c.
func (d *Decoder) noValue(c byte) *Error {
	for _, word := range []string{"null", "true", "false"} {
		if c != word[0] {
			continue
		}
		n := 1
		for n < len(word) && d.pos+n < len(d.text) && d.text[d.pos+n] == word[n] {
			n++
		}
		if n < len(word) {
			return d.misses(d.pos+n, "in literal "+word+" (expecting '"+word[n:n+1]+"')")
		}
	}
	switch {
	case c == '"':
		return d.noString()
	case c == '-', c >= '0' && c <= '9':
		return d.noNumber()
	}
	return d.misses(d.pos, "at start of value")
}

// noNumber returns why the next bytes are no number.
func (d *Decoder) noNumber() *Error {
	i := d.pos
	if d.text[i] == '-' {
		i++
	}
	if strings.HasPrefix(d.text[i:], "0") {
		if i++; i < len(d.text) && d.text[i]-'0' <= 9 {
			return d.misses(i, "in number (expecting no digit after 0)")
		}
	}
	digits := func() (some bool) {
		for ; i < len(d.text) && d.text[i]-'0' <= 9; i++ {
			some = true
		}
		return some
	}
	if digits() || d.text[i-1] == '0' {
		if i < len(d.text) && d.text[i] == '.' {
			if i++; !digits() {
				return d.misses(i, "in number (expecting digit)")
			}
		}
		if i++; i < len(d.text) && (d.text[i] == '+' || d.text[i] == '-') { // after the e
			i++
		}
	}
	return d.misses(i, "in number (expecting digit)")
}

// noString returns why the next bytes are no string.
func (d *Decoder) noString() *Error {
	for i := d.pos + 1; ; {
		i += plain(d.text[i:])
		rest := d.text[i:]
		switch {
		case rest == "", rest[0] == '\\' && len(rest) == 1, rest[0] >= utf8.RuneSelf && !utf8.FullRuneInString(rest):
			return d.misses(len(d.text), "")
		case rest[0] == '\\':
			_, size := escaped(rest)
			if size == 0 {
				return d.noEscape(i)
			}
			i += size
		case rest[0] < ' ':
			return d.misses(i, "in string (expecting no control character)")
		default:
			r, size := utf8.DecodeRuneInString(rest)
			if r == utf8.RuneError && size == 1 {
				return wrongSyntax(i, "invalid UTF-8")
			}
			i += size
		}
	}
}

// noEscape returns why no escape sequence begins at a byte.
func (d *Decoder) noEscape(at int) *Error {
	rest := d.text[at:]
	end := 2
	if rest[1] == 'u' {
		for end < min(6, len(rest)) && (rest[end]-'0' <= 9 || rest[end]|' ' >= 'a' && rest[end]|' ' <= 'f') {
			end++
		}
		switch {
		case end == len(rest):
			return d.misses(len(d.text), "")
		case end == 6:
			return wrongSyntax(at, "half of a surrogate pair "+rest[:end]+" in string")
		}
		end++
	}
	return wrongSyntax(at, "invalid escape sequence "+quoted(strings.ToValidUTF8(rest[:end], "\ufffd"))+" in string")
}
