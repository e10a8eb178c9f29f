package codec

import (
	"math"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/internal/decimal"
)

// A numeral is the parts of a JSON number.
type numeral struct {
	text     string
	digits   uint64 // all of them as one number, if there are at most maxDigits
	count    int    // of digits, without zeros in front
	decimals int    // digits after the point
	exponent bool
	negative bool
}

// maxDigits is how many digits a uint64 holds, whatever they are.
const maxDigits = 19

// number reads a number that begins at the current position.
func (d *Decoder) number() (n numeral, ok bool) {
	text, i := d.text, d.pos
	if i < len(text) && text[i] == '-' {
		n.negative = true
		i++
	}
	whole := i
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		n.digits = 10*n.digits + uint64(text[i]-'0')
	}
	if n.count = i - whole; n.count == 0 || n.count > 1 && text[whole] == '0' {
		d.syntax()
		return n, false
	}
	if i < len(text) && text[i] == '.' {
		i++
		point := i
		for ; i < len(text) && text[i]-'0' <= 9; i++ {
			n.digits = 10*n.digits + uint64(text[i]-'0')
		}
		if n.decimals = i - point; n.decimals == 0 {
			d.syntax()
			return n, false
		}
		n.count += n.decimals
	}
	if i < len(text) && text[i]|' ' == 'e' {
		n.exponent = true
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		power := i
		for i < len(text) && text[i]-'0' <= 9 {
			i++
		}
		if i == power {
			d.syntax()
			return n, false
		}
	}
	n.text = text[d.pos:i]
	d.last = d.pos
	d.pos = i
	return n, true
}

// isNumber reports whether a number may begin with the byte.
func isNumber(c byte) bool { return c == '-' || c-'0' <= 9 }

// ReadInt reads an integer. As in JSON Schema 5.0 and 1e2 are integers; what does not
// fit into an int is refused.
func ReadInt(v *int, d *Decoder) {
	if !isNumber(d.peek()) {
		d.mismatch("an integer")
		return
	}
	n, ok := d.number()
	if !ok {
		return
	}
	if n.count < maxDigits && n.decimals == 0 && !n.exponent && n.digits <= math.MaxInt {
		*v = int(n.digits)
		if n.negative {
			*v = -*v
		}
		return
	}
	digits, whole := integer(n.text)
	if !whole {
		d.Fail("expected an integer, found " + short(n.text))
		return
	}
	small, err := strconv.Atoi(digits)
	if err != nil {
		d.Fail(short(n.text) + " is out of the range of an integer")
		return
	}
	*v = small
}

// integer returns the digits of a JSON number and whether it has no fraction. It never
// returns more than some digits too many for any int.
func integer(text string) (digits string, whole bool) {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	exponent := 0
	if i := max(strings.IndexByte(text, 'e'), strings.IndexByte(text, 'E')); i >= 0 {
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
	const noughts = "000000000000000000000000000000"
	const enough = len(noughts)
	fill := enough
	if exponent < enough+len(zeros)+len(before) {
		fill = min(point+exponent-len(zeros), enough)
	}
	return sign + zeros + noughts[:fill], true
}

// powers are the powers of ten that a float64 holds exactly.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// ReadFloat reads a number.
func ReadFloat(v *float64, d *Decoder) {
	if !isNumber(d.peek()) {
		d.mismatch("a number")
		return
	}
	n, ok := d.number()
	if !ok {
		return
	}
	if n.count < len(powers) && !n.exponent {
		// Both are exact, so their quotient is rounded once, which is right.
		*v = float64(n.digits) / powers[n.decimals]
		if n.negative {
			*v = -*v
		}
		return
	}
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil {
		d.Fail(short(n.text) + " is out of the range of a number")
		return
	}
	*v = f
}

// WriteInt writes an integer.
//
//go:noinline
func WriteInt(v int, e *Encoder) { e.buf = strconv.AppendInt(e.buf, int64(v), 10) }

// WriteFloat writes a number. NaN and the infinities are none in JSON: an error.
func WriteFloat(v float64, e *Encoder) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		e.Fail(printed(v) + " is no number in JSON")
		return
	}
	e.buf = decimal.Append(e.buf, v)
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
func (r Range) ReadInt(v *int, d *Decoder) {
	if ReadInt(v, d); !r.holds(float64(*v)) {
		d.Fail(r.excludes(strconv.Itoa(*v)))
	}
}

// ReadFloat reads a number of the range.
func (r Range) ReadFloat(v *float64, d *Decoder) {
	if ReadFloat(v, d); !r.holds(*v) {
		d.Fail(r.excludes(printed(*v)))
	}
}

// WriteInt writes an integer of the range; another one is an error.
func (r Range) WriteInt(v int, e *Encoder) {
	if !r.holds(float64(v)) {
		e.Fail(r.excludes(strconv.Itoa(v)))
		return
	}
	WriteInt(v, e)
}

// WriteFloat writes a number of the range; another one is an error.
func (r Range) WriteFloat(v float64, e *Encoder) {
	if v < r.min || v > r.max {
		e.Fail(r.excludes(printed(v)))
		return
	}
	WriteFloat(v, e)
}

func (r Range) holds(f float64) bool { return f >= r.min && f <= r.max }

func (r Range) excludes(number string) string {
	switch {
	case math.IsInf(r.max, 1):
		return number + " is less than " + printed(r.min)
	case math.IsInf(r.min, -1):
		return number + " is more than " + printed(r.max)
	}
	return number + " is not between " + printed(r.min) + " and " + printed(r.max)
}

func printed(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// short returns a number from outside as an error shows it.
func short(number string) string {
	if len(number) <= quoteMax {
		return number
	}
	return number[:quoteMax] + "…"
}
