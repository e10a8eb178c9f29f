package spec

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// anyName is the key of the names that lists and mappings hold.
var anyName = &Key{Form: FormName}

// lost is a name or text that could not be read.
func lost(pos Pos) String { return String{Pos: pos, Lost: true} }

// text reads a text of some form. The place is kept even where the text is lost.
func (r *reader) text(v *tree, k *Key) String {
	lost := lost(v.pos)
	switch {
	case v.shape == unreadable:
		return lost
	case k.Form == FormCondition && v.shape == scalar && !v.isNull():
		return r.condition(v)
	case v.shape != scalar, v.isNull():
		r.mismatchHelp(v, k.expects(), "write it as in "+k.example())
		return lost
	case v.scalar != ScalarString:
		r.mismatchHelp(v, k.expects(), "put quotes around it")
		return lost
	case v.text == "" && k.Form != FormText:
		r.report("GG015", v.pos, "expected "+k.expects()+", found an empty text", "write it as in "+k.example())
		return lost
	case k.Form == FormAssert && strings.TrimSpace(v.text) != "":
		return r.condition(v)
	}
	return String{V: strings.TrimRight(v.text, "\n"), Pos: v.pos}
}

// condition reads a Go expression: any scalar will do, for true is one. Its place is that
// of its first character.
func (r *reader) condition(v *tree) String {
	code := strings.TrimSpace(v.text)
	pos := v.pos
	if code == "" {
		r.report("GG015", pos, "expected a Go expression, found an empty text", "write the condition, or leave the key out")
		return lost(pos)
	}
	written := ""
	switch v.style {
	case plain:
		return String{V: code, Pos: pos}
	case quoted:
		pos.Col++
		pos.Width -= 2
		if r.goesOn(v) {
			pos.Width++
		}
		rest := r.src.rest(pos.Line, pos.Col)
		written = rest[:byteIndex(rest, pos.Width)]
	case block:
		for pos.Line++; strings.TrimSpace(r.src.line(pos.Line)) == "" && pos.Line < len(r.src.lines); pos.Line++ {
		}
		pos.Col = 1
		written = r.src.line(pos.Line)
	}
	bare := strings.TrimLeft(written, " \t")
	pos.Col += len(written) - len(bare)
	pos.Width = max(1, utf8.RuneCountInString(strings.TrimRight(bare, " \t")))
	return String{V: code, Pos: pos}
}

// byteIndex returns where rune n of s begins, or the end of s.
func byteIndex(s string, n int) int {
	for i := range s {
		if n <= 0 {
			return i
		}
		n--
	}
	return len(s)
}

// decimal reports whether a number is written in decimal, as YAML and Go both read it.
func decimal(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	return strings.Trim(digits, "0123456789") == "" && (len(digits) == 1 || digits != "" && digits[0] != '0')
}

func (r *reader) int(v *tree, to *Value[int]) {
	*to = Value[int]{Pos: v.pos, Lost: true}
	switch {
	case v.shape == unreadable:
	case v.shape != scalar || v.scalar != ScalarInt && v.scalar != ScalarFloat:
		r.mismatchHelp(v, "a whole number", numberHelp(v))
	case v.scalar == ScalarFloat && !decimal(v.text):
		r.mismatchHelp(v, "a whole number", "write it without a fraction")
	case !decimal(v.text):
		r.report("GG014", v.pos, "the number "+short(v.text)+" is not written in decimal", "write it with digits alone")
	default:
		n, err := strconv.ParseInt(v.text, 10, 64)
		if err != nil || n > math.MaxInt32 || n < math.MinInt32 {
			help := fmt.Sprintf("the greatest is %d", math.MaxInt32)
			if strings.HasPrefix(v.text, "-") {
				help = fmt.Sprintf("the least is %d", math.MinInt32)
			}
			r.report("GG014", v.pos, "the number "+short(v.text)+" is out of range", help)
			return
		}
		*to = Value[int]{V: int(n), Pos: v.pos}
	}
}

func (r *reader) number(v *tree, to *Value[float64]) {
	*to = Value[float64]{Pos: v.pos, Lost: true}
	switch {
	case v.shape == unreadable:
	case v.shape != scalar || v.scalar != ScalarInt && v.scalar != ScalarFloat:
		r.mismatchHelp(v, "a number", numberHelp(v))
	default:
		n, err := strconv.ParseFloat(v.text, 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) || strings.ContainsAny(v.text, "_xX") {
			r.report("GG014", v.pos, "the number "+short(v.text)+" is out of range or not written in decimal", "write it as in 0.7")
			return
		}
		*to = Value[float64]{V: n, Pos: v.pos}
	}
}

// numberHelp says what to do about something that stands where a number should.
func numberHelp(v *tree) string {
	if v.shape == scalar && v.style == quoted {
		if _, err := strconv.ParseFloat(v.text, 64); err == nil {
			return "leave the quotes out"
		}
	}
	return "write it with digits, as in 3"
}

func (r *reader) bool(v *tree, to *Value[bool]) {
	*to = Value[bool]{Pos: v.pos, Lost: true}
	switch {
	case v.shape == unreadable:
	case v.shape != scalar || v.scalar != ScalarBool:
		r.mismatchHelp(v, "true or false", "write true or false, without quotes")
	default:
		*to = Value[bool]{V: strings.EqualFold(v.text, "true"), Pos: v.pos}
	}
}

func (r *reader) duration(v *tree, to *Value[time.Duration]) {
	*to = Value[time.Duration]{Pos: v.pos, Lost: true}
	const help = "write numbers with units, as in 500ms, 30s or 1m30s"
	switch {
	case v.shape == unreadable:
	case v.shape != scalar || v.scalar == ScalarBool || v.isNull():
		r.mismatchHelp(v, FormDuration.Doc().Expects, help)
	case v.scalar != ScalarString:
		r.report("GG014", v.pos, "the duration "+short(v.text)+" has no unit", help)
	default:
		d, err := time.ParseDuration(v.text)
		if err != nil {
			r.report("GG014", v.pos, quote(v.text)+" is not a duration", help)
			return
		}
		*to = Value[time.Duration]{V: d, Pos: v.pos}
	}
}

// names reads a list of names, or a single one where the form allows that.
func (r *reader) names(v *tree, want Form) []String {
	switch {
	case v.shape == scalar && (want == FormNames || want == FormWords):
		return []String{r.text(v, anyName)}
	case v.shape != list:
		r.mismatch(v, want)
		return []String{lost(v.pos)}
	}
	names := make([]String, len(v.items))
	for i := range v.items {
		names[i] = r.text(&v.items[i], anyName)
	}
	return names
}

// plainValue reads a text, a number or a bool as it is written. One that cannot be read is
// a null, which no other is.
func (r *reader) plainValue(v *tree) *Scalar {
	switch {
	case v.shape == unreadable:
		return &Scalar{Kind: ScalarNull, Pos: v.pos}
	case v.shape != scalar || v.isNull():
		r.mismatchHelp(v, FormScalar.Doc().Expects, "lists, maps and structs have no default; what is absent without one is empty")
		return &Scalar{Kind: ScalarNull, Pos: v.pos}
	}
	return &Scalar{Kind: v.scalar, Text: v.text, Pos: v.pos}
}

// pairs reads a mapping of names to names. Where some of it cannot be read, one of the
// pairs is lost.
func (r *reader) pairs(v *tree, want Form, add func(key, value String)) {
	if v.shape != mapping {
		r.mismatch(v, want)
		add(lost(v.pos), lost(v.pos))
		return
	}
	if v.dropped > 0 {
		add(lost(v.pos), lost(v.pos))
	}
	for i := 0; i < len(v.items); i += 2 {
		key, value := &v.items[i], &v.items[i+1]
		if value.isNull() {
			r.missing(key, value, anyName)
			value = &tree{pos: value.pos}
		}
		add(String{V: key.text, Pos: key.pos}, r.text(value, anyName))
	}
}
