package codec

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ReadInt reads an integer. As in JSON Schema 5.0 and 1e2 are integers; what does not
// fit into an int is refused.
func ReadInt(v *int, d *jsontext.Decoder) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if k := t.Kind(); k != jsontext.KindNumber {
		return wrongKind(d, "an integer", k)
	}
	n, err := t.Int()
	if err == nil && int64(int(n)) == n {
		*v = int(n)
		return nil
	}
	text := t.String()
	digits, whole := integer(text)
	if !whole {
		return readError(d, "expected an integer, found "+short(text))
	}
	small, err := strconv.Atoi(digits)
	if err != nil {
		return readError(d, short(text)+" is out of the range of an integer")
	}
	*v = small
	return nil
}

// integer returns the digits of a JSON number and whether it has no fraction. It never
// returns more than some digits too many for any int.
func integer(text string) (digits string, whole bool) {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	exponent := 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		// Out of range, the exponent is the greatest int of its sign, which is enough.
		exponent, _ = strconv.Atoi(strings.TrimPrefix(text[i+1:], "+"))
		text = text[:i]
	}
	before, after, _ := strings.Cut(text, ".")
	all := strings.TrimRight(before+after, "0")
	zeros := strings.TrimLeft(all, "0")
	point := len(before) - (len(all) - len(zeros)) // digits before the point, of those in zeros
	switch {
	case zeros == "":
		return "0", true
	case exponent < len(zeros)-point:
		return "", false
	}
	const enough = 30
	fill := enough
	if exponent < enough+len(zeros)+len(before) {
		fill = min(point+exponent-len(zeros), enough)
	}
	return sign + zeros + strings.Repeat("0", fill), true
}

// ReadFloat reads a number.
func ReadFloat(v *float64, d *jsontext.Decoder) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if k := t.Kind(); k != jsontext.KindNumber {
		return wrongKind(d, "a number", k)
	}
	f, err := t.Float()
	if err != nil {
		return readError(d, short(t.String())+" is out of the range of a number")
	}
	*v = f
	return nil
}

// WriteInt writes an integer.
func WriteInt(v int, e *jsontext.Encoder) error { return e.WriteToken(jsontext.Int(int64(v))) }

// WriteFloat writes a number. NaN and the infinities are none in JSON: an error.
func WriteFloat(v float64, e *jsontext.Encoder) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return writeError(e, decimal(v)+" is no number in JSON")
	}
	return e.WriteToken(jsontext.Float(v))
}

// A Range holds the bounds of a number, both inclusive.
type Range struct{ min, max float64 }

// Between is the range from low to high.
func Between(low, high float64) Range { return Range{low, high} }

// AtLeast is the range from low upwards.
func AtLeast(low float64) Range { return Range{low, math.Inf(1)} }

// AtMost is the range up to high.
func AtMost(high float64) Range { return Range{math.Inf(-1), high} }

// ReadInt reads an integer of the range.
func (r Range) ReadInt(v *int, d *jsontext.Decoder) error {
	var n int
	if err := ReadInt(&n, d); err != nil {
		return err
	}
	if !r.holds(float64(n)) {
		return readError(d, r.excludes(strconv.Itoa(n)))
	}
	*v = n
	return nil
}

// ReadFloat reads a number of the range.
func (r Range) ReadFloat(v *float64, d *jsontext.Decoder) error {
	var f float64
	if err := ReadFloat(&f, d); err != nil {
		return err
	}
	if !r.holds(f) {
		return readError(d, r.excludes(decimal(f)))
	}
	*v = f
	return nil
}

// WriteInt writes an integer of the range; another one is an error.
func (r Range) WriteInt(v int, e *jsontext.Encoder) error {
	if !r.holds(float64(v)) {
		return writeError(e, r.excludes(strconv.Itoa(v)))
	}
	return WriteInt(v, e)
}

// WriteFloat writes a number of the range; another one is an error.
func (r Range) WriteFloat(v float64, e *jsontext.Encoder) error {
	if v < r.min || v > r.max {
		return writeError(e, r.excludes(decimal(v)))
	}
	return WriteFloat(v, e)
}

func (r Range) holds(f float64) bool { return f >= r.min && f <= r.max }

func (r Range) excludes(number string) string {
	switch {
	case math.IsInf(r.max, 1):
		return number + " is less than " + decimal(r.min)
	case math.IsInf(r.min, -1):
		return number + " is more than " + decimal(r.max)
	}
	return number + " is not between " + decimal(r.min) + " and " + decimal(r.max)
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// short returns a number from outside as an error shows it.
func short(number string) string {
	if len(number) <= quoteMax {
		return number
	}
	return number[:quoteMax] + "…"
}
