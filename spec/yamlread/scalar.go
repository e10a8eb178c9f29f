package yamlread

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec/diag"
)

// Name is the form of a text that names something.
var Name = &Form{Name: "name", Expects: "a name", Example: "draft",
	Doc:    "A text that names something. It cannot be empty; one that looks like a number or a bool needs quotes.",
	Schema: &Schema{Types: []string{"string"}, Filled: true}}

// AnyName is the key of the names that lists and mappings hold.
var AnyName = &Key{Form: Name}

// Text reads a text of some form. The place is kept even where the text is lost.
func (r *Reader) Text(v *Tree, k *Key) String {
	f := k.Form
	switch {
	case v.Kind == Unreadable:
	case r.Misfits[v.Kind][k.Name] != "":
		r.Expected(v, k.expects(), r.Misfits[v.Kind][k.Name])
	case f.Scalar && v.IsScalar() && v.Kind != Null:
		return r.code(v, k)
	case !v.IsScalar(), v.Kind == Null:
		r.Expected(v, k.expects(), "write it as in "+diag.Item(k.example()))
	case v.Kind != Text:
		r.Expected(v, k.expects(), diag.Quote("put quotes around it"))
	case v.Text == "" && !f.Free, f.Solid && strings.TrimSpace(v.Text) == "":
		r.Report(r.Valueless, v.Pos, "expected "+k.expects()+", found an empty text", "write it as in "+diag.Item(k.example()))
	case f.Code && strings.TrimSpace(v.Text) != "":
		return r.code(v, k)
	default:
		return String{V: strings.TrimRight(v.Text, "\n"), Pos: v.Pos}
	}
	return Lost(v.Pos)
}

// code reads a text whose place is the place of its first character.
func (r *Reader) code(v *Tree, k *Key) String {
	code := strings.TrimSpace(v.Text)
	pos := v.Pos
	if code == "" {
		r.Report(r.Valueless, pos, "expected "+k.expects()+", found an empty text", k.filled(diag.Item(k.example())))
		return Lost(pos)
	}
	written := ""
	switch {
	case v.Style == Plain:
		return String{V: code, Pos: pos}
	case pos.In != nil:
		return String{V: code, Pos: codeIn(pos, v.Style)}
	}
	switch v.Style {
	case Quoted:
		pos.Col++
		pos.Width -= 2
		if r.goesOn(v) {
			pos.Width++
		}
		rest := r.src.rest(pos.Line, pos.Col)
		written = rest[:byteIndex(rest, pos.Width)]
	case Block:
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

// codeIn returns the place of a code in a template: as code does, except for blanks before it, since the text of the
// template is not there.
func codeIn(pos Pos, style Style) Pos {
	at := *pos.In
	if style == Quoted {
		at.Col++
		at.Width -= 2
	} else {
		at.Line++
		at.Col, at.Width = 1, 0
	}
	pos.In = &at
	return pos
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

// Int reads a whole number of 32 bits.
func (r *Reader) Int(v *Tree) Value[int] {
	switch {
	case v.Kind != Int && v.Kind != Float:
		r.Expected(v, "a whole number", numberHelp(v))
	case v.Kind == Float && !decimal(v.Text):
		r.Expected(v, "a whole number", "write it without a fraction")
	case !decimal(v.Text):
		r.Report(r.Unfit, v.Pos, "the number "+Short(v.Text)+" is not written in decimal", "write it with digits alone")
	default:
		n, err := strconv.ParseInt(v.Text, 10, 32)
		if err == nil {
			return Value[int]{V: int(n), Pos: v.Pos}
		}
		help := fmt.Sprintf("the greatest is %d", math.MaxInt32)
		if strings.HasPrefix(v.Text, "-") {
			help = fmt.Sprintf("the least is %d", math.MinInt32)
		}
		r.Report(r.Unfit, v.Pos, "the number "+Short(v.Text)+" is out of range", help)
	}
	return Value[int]{Pos: v.Pos, Lost: true}
}

// Number reads a finite number.
func (r *Reader) Number(v *Tree) Value[float64] {
	if v.Kind != Int && v.Kind != Float {
		r.Expected(v, "a number", numberHelp(v))
		return Value[float64]{Pos: v.Pos, Lost: true}
	}
	n, err := strconv.ParseFloat(v.Text, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) || strings.ContainsAny(v.Text, "_xX") {
		r.Report(r.Unfit, v.Pos, "the number "+Short(v.Text)+" is out of range or not written in decimal", "write it as in 0.7")
		return Value[float64]{Pos: v.Pos, Lost: true}
	}
	return Value[float64]{V: n, Pos: v.Pos}
}

// numberHelp is the help for a value that is not a number.
func numberHelp(v *Tree) string {
	if v.Style == Quoted {
		if _, err := strconv.ParseFloat(v.Text, 64); err == nil {
			return diag.Unquote("leave the quotes out")
		}
	}
	return "write it with digits, as in 3"
}

// Bool reads true or false.
func (r *Reader) Bool(v *Tree) Value[bool] {
	if v.Kind != Bool {
		r.Expected(v, "true or false", "write true or false, without quotes")
		return Value[bool]{Pos: v.Pos, Lost: true}
	}
	return Value[bool]{V: strings.EqualFold(v.Text, "true"), Pos: v.Pos}
}

// Duration reads a duration as package time does.
func (r *Reader) Duration(v *Tree) Value[time.Duration] {
	const help = "write numbers with units, as in 500ms, 30s or 1m30s"
	switch {
	case !v.IsScalar() || v.Kind == Bool || v.Kind == Null:
		r.Expected(v, "a duration such as 30s", help)
	case v.Kind != Text:
		r.Report(r.Unfit, v.Pos, "the duration "+Short(v.Text)+" has no unit", help)
	default:
		d, err := time.ParseDuration(v.Text)
		if err == nil {
			return Value[time.Duration]{V: d, Pos: v.Pos}
		}
		r.Report(r.Unfit, v.Pos, Quote(v.Text)+" is not a duration", help)
	}
	return Value[time.Duration]{Pos: v.Pos, Lost: true}
}

// itemOf is the key of the items of a list, or of the values of a mapping.
func itemOf(k *Key) *Key {
	if k.Form.Item == nil {
		return AnyName
	}
	return &Key{Form: k.Form.Item}
}

// Names reads a list of names, or a single one where the form allows that.
func (r *Reader) Names(v *Tree, k *Key) []String {
	item := itemOf(k)
	switch {
	case r.Misfits[v.Kind][k.Name] != "":
		r.Expected(v, k.expects(), r.Misfits[v.Kind][k.Name])
		return []String{Lost(v.Pos)}
	case v.IsScalar() && k.Form.Single:
		return []String{r.Text(v, item)}
	case v.Kind != List:
		r.Mismatch(v, k)
		return []String{Lost(v.Pos)}
	}
	names := make([]String, len(v.Items))
	for i := range v.Items {
		names[i] = r.Text(&v.Items[i], item)
	}
	return names
}

// List returns the items of a list. A value that is not a list is reported, and is not read.
func (r *Reader) List(v *Tree, k *Key) []Tree {
	if v.Kind != List {
		r.Mismatch(v, k)
		r.Tear()
		return nil
	}
	return v.Items
}

// Each calls read with the entries of a mapping. It reports a value that is not a mapping.
func (r *Reader) Each(v *Tree, k *Key, read func(key String, value *Tree)) bool {
	if v.Kind != Map {
		r.Mismatch(v, k)
		return false
	}
	for i := range len(v.Items) / 2 {
		read(v.Key(i))
	}
	return true
}

// Pairs reads a mapping of names to names. Where some of it cannot be read, one of the
// pairs is lost.
func (r *Reader) Pairs(v *Tree, k *Key, add func(key, value String)) {
	if v.Kind != Map || v.Dropped > 0 {
		add(Lost(v.Pos), Lost(v.Pos))
	}
	item := itemOf(k)
	r.Each(v, k, func(key String, value *Tree) {
		if value.Kind == Null {
			r.ReportEmpty(key, value, item)
			value = &Tree{Pos: value.Pos}
		}
		add(key, r.Text(value, item))
	})
}
