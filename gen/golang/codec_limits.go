package golang

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// limits are the limits of a field's value, or of the value it may have. The zero value has none.
type limits struct {
	bounds           bounds
	minimum, maximum spec.Value[int] // of the length of a list, a map or bytes
	text             string          // the variable that holds the limits of a string
	media            string          // the variable that holds the limits of media
	owner            *resolve.Type   // what they are the limits of
}

// limits returns the limits of a field.
func (c *codecs) limits(f *resolve.Field) limits {
	if f.Spec == nil {
		return limits{}
	}
	base := f.Type.Base()
	l := limits{bounds: boundsOf(f), text: c.texts[f.Spec], owner: base, media: c.media.LimitsOf(f.Spec)}
	if hasElements(base) {
		l.minimum, l.maximum = f.Spec.MinLength, f.Spec.MaxLength
	}
	return l
}

// of returns the limits that hold for an element; of an optional, for what it may hold.
func (l limits) of(elem *resolve.Type) limits {
	if elem == l.owner {
		return l
	}
	return limits{media: l.media}
}

// hasElements reports whether a type is as long as its Go value.
func hasElements(t *resolve.Type) bool {
	return t.Kind == resolve.List || t.Kind == resolve.Map || t.Kind == resolve.Bytes
}

// none reports whether any value is within the limits.
func (l limits) none() bool { return l.bounds.none() && l.text == "" && !l.hasLength() }

func (l limits) hasLength() bool { return l.minimum.IsSet() || l.maximum.IsSet() }

// excludeEmpty reports whether what is empty, and so may be not set, is out of the limits.
func (l limits) excludeEmpty() bool { return l.minimum.V > 0 || l.text != "" || l.bounds.excludeZero() }

func (l limits) length() *jen.Statement { return lengthOf(l.minimum, l.maximum) }

func lengthOf(low, high spec.Value[int]) *jen.Statement {
	switch {
	case low.IsSet() && high.IsSet():
		return jen.Qual(codecPath, "LengthBetween").Call(jen.Lit(low.V), jen.Lit(high.V))
	case low.IsSet():
		return jen.Qual(codecPath, "MinLength").Call(jen.Lit(low.V))
	}
	return jen.Qual(codecPath, "MaxLength").Call(jen.Lit(high.V))
}

// emit is the range of the bounds.
func (b bounds) emit() *jen.Statement {
	switch {
	case b.hasLow && b.hasHigh:
		return jen.Qual(codecPath, "Between").Call(number(b.low), number(b.high))
	case b.hasLow:
		return jen.Qual(codecPath, "AtLeast").Call(number(b.low))
	}
	return jen.Qual(codecPath, "AtMost").Call(number(b.high))
}

// number is a bound as a Go constant.
func number(f float64) *jen.Statement { return jen.Id(strconv.FormatFloat(f, 'g', -1, 64)) }

// formats are the conditions of package codec for the formats of the language.
var formats = map[string]string{
	"date-time": "DateTime", "date": "Date", "time": "Clock", "email": "Email", "hostname": "Hostname",
	"ipv4": "IPv4", "ipv6": "IPv6", "uri": "URI", "uuid": "UUID",
}

// emitText declares the limits of the strings of a field.
func (c *codecs) emitText(t plan.Text) {
	s := t.Field.Spec
	var entries []jen.Code
	if s.MinLength.IsSet() || s.MaxLength.IsSet() {
		entries = append(entries, entry("Length", lengthOf(s.MinLength, s.MaxLength)))
	}
	if s.Pattern.IsSet() {
		entries = append(entries, entry("Pattern", jen.Qual(codecPath, "Pattern").Call(raw(s.Pattern.V))))
	}
	if s.Format.IsSet() {
		entries = append(entries, entry("Format", jen.Qual(codecPath, formats[s.Format.V])))
	}
	c.table(t.Var, "Text", entries)
}

// raw is a string literal, without escapes if it can be.
func raw(s string) *jen.Statement {
	if strconv.CanBackquote(s) {
		return jen.Op("`" + s + "`")
	}
	return jen.Lit(s)
}

// defaultOf is the value of a field that is absent, nil if it has none.
func (c structCodec) defaultOf(f *resolve.Field) *jen.Statement {
	if !c.Defaults || f.Spec == nil || f.Spec.Default == nil {
		return nil
	}
	return startValue(f.Type.Base(), *f.Spec.Default)
}
