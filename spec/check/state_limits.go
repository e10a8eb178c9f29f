package check

import (
	"encoding/base64"
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// limitPasses judge the limits and defaults of fields.
var limitPasses = []Pass{
	{Code: "GG131", run: defaults},
	{Code: "GG350", run: keeps},
	{Code: "GG132", run: lengths},
	{Code: "GG133", run: patterns},
	{Code: "GG134", run: formats},
}

// exact is how far JSON numbers count without leaving out an integer.
const exact = 1 << 53

func limitsOfFields(c *context) {
	for _, f := range c.fields() {
		low, high := f.Spec.Min, f.Spec.Max
		kind := f.Type.Base().Kind
		if unknown(f.Type) || low.Lost || high.Lost || !low.IsSet() && !high.IsSet() {
			continue
		}
		if kind != resolve.Int && kind != resolve.Float {
			pos := low.Pos
			if !low.IsSet() {
				pos = high.Pos
			}
			help := "remove its bounds"
			if slices.Contains(lengthy, kind) {
				help = "its length is bounded by min_length and max_length"
			}
			c.report(pos, "field "+quote(f.Name)+" is not a number, so it has no min and max", help)
			continue
		}
		for _, bound := range []spec.Value[float64]{low, high} {
			switch {
			case !bound.IsSet():
			case math.IsNaN(bound.V) || math.IsInf(bound.V, 0):
				c.report(bound.Pos, "a bound is a finite number", "leave it out for no bound")
			case kind == resolve.Int && bound.V != math.Trunc(bound.V):
				c.report(bound.Pos, "the bound of the int "+quote(f.Name)+" is not a whole number: "+strconv.FormatFloat(bound.V, 'g', -1, 64),
					"write a whole number, or make the field a float")
			case kind == resolve.Int && math.Abs(bound.V) > exact:
				c.report(bound.Pos, "the bound of the int "+quote(f.Name)+" is too large: "+strconv.FormatFloat(bound.V, 'g', -1, 64),
					"leave it out for no bound, or make the field a float")
			}
		}
		if low.IsSet() && high.IsSet() && low.V > high.V {
			c.report(high.Pos, "max of field "+quote(f.Name)+" is below its min", "swap them", diag.Related{Pos: low.Pos, Message: "min is here"})
		}
	}
}

// keeps judges how many elements lists keep.
func keeps(c *context) {
	for _, f := range c.graph.State.Fields {
		keep := f.Spec.Keep
		switch {
		case !keep.IsSet() || keep.Lost || unknown(f.Type) || f.Spec.Merge.Lost:
		case f.Merge != "append" || f.Type.Kind != resolve.List:
			c.report(keep.Pos, "only a list with the merge rule append keeps a number of elements",
				"add "+diag.Add("merge", "append")+", or "+diag.Remove("remove keep"))
		case f.Type.IsConversation():
			c.report(keep.Pos, "a conversation keeps all of its messages", "bound what a model is shown by max_messages of the node")
		case keep.V < 1:
			c.report(keep.Pos, "keep is out of range: "+strconv.Itoa(keep.V), "use 1 or more")
		}
	}
}

// text reports whether a field is a string, or may be absent and else is one.
func text(f *resolve.Field) bool { return f.Type.Base().Kind == resolve.String }

// lengthy are the types that have a length.
var lengthy = []resolve.Kind{resolve.String, resolve.Bytes, resolve.List, resolve.Map}

func lengths(c *context) {
	for _, f := range c.fields() {
		low, high := f.Spec.MinLength, f.Spec.MaxLength
		if unknown(f.Type) || !low.IsSet() && !high.IsSet() {
			continue
		}
		if !slices.Contains(lengthy, f.Type.Base().Kind) {
			pos := low.Pos
			if !low.IsSet() {
				pos = high.Pos
			}
			help := "leave it out"
			if k := f.Type.Base().Kind; k == resolve.Int || k == resolve.Float {
				help = "a number is bounded by min and max"
			}
			c.report(pos, "field "+quote(f.Name)+" is "+article(f.Type.String())+", which has no length", help)
			continue
		}
		for _, bound := range []spec.Value[int]{low, high} {
			if bound.IsSet() && !bound.Lost && bound.V < 0 {
				c.report(bound.Pos, "a length cannot be negative: "+strconv.Itoa(bound.V), "leave it out for no bound")
			}
		}
		if low.IsSet() && high.IsSet() && !low.Lost && !high.Lost && low.V > high.V && high.V >= 0 {
			c.report(high.Pos, "max_length of field "+quote(f.Name)+" is below its min_length", "swap them",
				diag.Related{Pos: low.Pos, Message: "min_length is here"})
		}
	}
}

func patterns(c *context) {
	for _, f := range c.fields() {
		p := f.Spec.Pattern
		if !written(p) || unknown(f.Type) {
			continue
		}
		if !text(f) {
			c.report(p.Pos, "field "+quote(f.Name)+" is "+article(f.Type.String())+": a pattern is for a string", "leave it out")
			continue
		}
		if _, err := regexp.Compile(p.V); err != nil {
			said := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
			c.report(p.Pos, "the pattern is not a regular expression: "+said,
				"write one as Go's package regexp reads it: without look-ahead and back references")
		}
	}
}

func formats(c *context) {
	names := spec.Names(spec.Formats)
	for _, f := range c.fields() {
		format := f.Spec.Format
		switch {
		case !written(format), unknown(f.Type):
		case !text(f):
			help := "leave it out"
			if f.Type.Base().Kind == resolve.Time {
				help = "leave it out: a time is as of RFC 3339 anyway"
			}
			c.report(format.Pos, "field "+quote(f.Name)+" is "+article(f.Type.String())+": a format is for a string", help)
		case !slices.Contains(names, format.V):
			c.report(format.Pos, "there is no format "+quote(format.V), didYouMean(format.V, names, "use one of "+strings.Join(names, ", ")+", or a pattern"))
		}
	}
}

func defaults(c *context) {
	for _, f := range c.fields() {
		d := f.Spec.Default
		if d == nil || d.Kind == spec.ScalarNull || unknown(f.Type) {
			continue
		}
		field := "field " + quote(f.Name)
		if f.Type.Kind == resolve.Optional {
			c.report(d.Pos, field+" has a default, so it is never absent", "write the type as "+f.Type.Elem.String()+", or leave the default out")
			continue
		}
		if c.defaultOf(field, f.Type, d) {
			if why := outOfLimits(f, d); why != "" {
				c.report(d.Pos, "the default of "+field+" is out of its limits: "+why, "change the default, or the limit")
			}
		}
	}
}

// defaultOf reports what does not fit in a default, or in an element of one, and whether all fits.
func (c *context) defaultOf(field string, t *resolve.Type, d *spec.Scalar) bool {
	form, ok := defaultForms[t.Kind]
	switch {
	case !ok && t.Kind != resolve.Unknown:
		c.report(d.Pos, field+" is "+article(t.String())+", which has no default", "leave it out: without one it starts empty")
	case !ok:
	case t.Kind == resolve.Enum && d.Kind != spec.ScalarList && d.Kind != spec.ScalarMap && t.Value(d.Text) == nil:
		names := t.ValueNames()
		c.report(d.Pos, quote(d.Text)+" is not a value of "+t.String(), didYouMean(d.Text, names, listed("its values are", names)))
	case !form.fits(d):
		help := form.help
		if len(d.Items) > 0 && t.Kind == resolve.String {
			help = "write one text, or give " + field + " the type []string"
		}
		c.report(d.Pos, "the default of "+field+" is not "+article(t.String())+": "+quote(d.String()), help)
	default:
		fits := true
		for i := range d.Items {
			if d.Kind == spec.ScalarList || i%2 == 1 {
				fits = c.defaultOf(field, t.Elem, &d.Items[i]) && fits
			}
		}
		return fits
	}
	return false
}

// A defaultForm is how the default of a type is written.
type defaultForm struct {
	fits func(*spec.Scalar) bool
	help string
}

var defaultForms = map[resolve.Kind]defaultForm{
	resolve.String: {func(s *spec.Scalar) bool { return s.Kind == spec.ScalarString }, diag.Quote("put quotes around it")},
	resolve.Int:    {func(s *spec.Scalar) bool { return s.Kind == spec.ScalarInt && wholeNumber(s.Text) }, "write a whole number, as in 3"},
	resolve.Float: {func(s *spec.Scalar) bool {
		return (s.Kind == spec.ScalarFloat || s.Kind == spec.ScalarInt) && anyNumber(s.Text)
	}, "write a number, as in 0.7"},
	resolve.Bool:     {func(s *spec.Scalar) bool { return s.Kind == spec.ScalarBool }, "write true or false, without quotes"},
	resolve.Enum:     {func(s *spec.Scalar) bool { return s.Kind != spec.ScalarList && s.Kind != spec.ScalarMap }, "name one of its values"},
	resolve.List:     {func(s *spec.Scalar) bool { return s.Kind == spec.ScalarList }, "write a list, as in [a, b]"},
	resolve.Map:      {func(s *spec.Scalar) bool { return s.Kind == spec.ScalarMap }, "write a mapping, as in " + diag.Item("{a: 1}")},
	resolve.Time:     {parses(func(s string) error { _, err := time.Parse(time.RFC3339, s); return err }), "write it as in 2026-01-31T12:00:00Z"},
	resolve.Duration: {parses(func(s string) error { _, err := time.ParseDuration(s); return err }), "write numbers with units, as in 500ms, 30s or 1m30s"},
	resolve.Bytes:    {parses(func(s string) error { _, err := base64.StdEncoding.DecodeString(s); return err }), "write base64, as in aGVsbG8="},
}

func parses(parse func(string) error) func(*spec.Scalar) bool {
	return func(s *spec.Scalar) bool { return s.Kind == spec.ScalarString && parse(s.Text) == nil }
}

// outOfLimits returns which limit of its field a default breaks; empty: none.
func outOfLimits(f *resolve.Field, d *spec.Scalar) string {
	s := f.Spec
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch f.Type.Kind {
	case resolve.Int, resolve.Float:
		n, _ := strconv.ParseFloat(d.Text, 64)
		switch {
		case s.Min.IsSet() && !s.Min.Lost && n < s.Min.V:
			return number(n) + " is below min " + number(s.Min.V)
		case s.Max.IsSet() && !s.Max.Lost && n > s.Max.V:
			return number(n) + " is above max " + number(s.Max.V)
		}
	case resolve.List:
		if keeps := f.Keeps(); keeps > 0 && len(d.Items) > keeps {
			return "it has " + strconv.Itoa(len(d.Items)) + " elements, more than keep " + strconv.Itoa(keeps)
		}
		return wrongLength(s, len(d.Items), "elements")
	case resolve.Map:
		return wrongLength(s, len(d.Items)/2, "entries")
	case resolve.Bytes:
		raw, _ := base64.StdEncoding.DecodeString(d.Text)
		return wrongLength(s, len(raw), "bytes")
	case resolve.String:
		if why := wrongLength(s, utf8.RuneCountInString(d.Text), "characters"); why != "" {
			return why
		}
		if p, err := regexp.Compile(s.Pattern.V); err == nil && written(s.Pattern) && !p.MatchString(d.Text) {
			return quote(d.Text) + " does not match " + s.Pattern.V
		}
		if fits := formatFits[s.Format.V]; fits != nil && !fits(d.Text) {
			return quote(d.Text) + " is not a plain " + s.Format.V
		}
	}
	return ""
}

func wrongLength(s *spec.Field, n int, of string) string {
	switch {
	case s.MinLength.IsSet() && !s.MinLength.Lost && n < s.MinLength.V:
		return "it has " + strconv.Itoa(n) + " " + of + ", fewer than " + strconv.Itoa(s.MinLength.V)
	case s.MaxLength.IsSet() && !s.MaxLength.Lost && n > s.MaxLength.V:
		return "it has " + strconv.Itoa(n) + " " + of + ", more than " + strconv.Itoa(s.MaxLength.V)
	}
	return ""
}

const hostPattern = `[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*`

// formatFits accepts of each format what is plain. Decoders accept more; what is accepted
// here, they all do.
var formatFits = map[string]func(string) bool{
	"date-time": func(s string) bool { _, err := time.Parse(time.RFC3339, s); return err == nil },
	"date":      func(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil },
	"time":      func(s string) bool { _, err := time.Parse("15:04:05Z07:00", s); return err == nil },
	"ipv4":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() },
	"ipv6":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" },
	"uuid":      whole(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`, 36),
	"hostname":  whole(hostPattern, 253),
	"email":     whole(`[A-Za-z0-9_%+-]+(\.[A-Za-z0-9_%+-]+)*@`+hostPattern, 64),
	"uri":       whole(`[A-Za-z][A-Za-z0-9+.-]*:(//`+hostPattern+`(:[0-9]+)?)?[A-Za-z0-9._~/-]*(\?[A-Za-z0-9._~/=&-]*)?(#[A-Za-z0-9._~/-]*)?`, 2000),
}

// whole reports whether a text is all a pattern, and not longer than most.
func whole(pattern string, most int) func(string) bool {
	p := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(" + pattern + ")$") })
	return func(s string) bool { return len(s) <= most && p().MatchString(s) }
}
