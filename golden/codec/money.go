package codec

import (
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Money is a type that is there already, with a codec of its own: an amount in cents, which
// is a text such as "12.50" in JSON.
type Money struct{ Cents int }

// MarshalJSONTo writes the amount.
func (m Money) MarshalJSONTo(e *jsontext.Encoder) error {
	if m.Cents < 0 {
		return errors.New("a debt cannot be written")
	}
	cents := strconv.Itoa(m.Cents % 100)
	return e.WriteToken(jsontext.String(strconv.Itoa(m.Cents/100) + "." + strings.Repeat("0", 2-len(cents)) + cents))
}

// UnmarshalJSONFrom reads the amount.
func (m *Money) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	whole, cents, ok := strings.Cut(t.String(), ".")
	n, err := strconv.Atoi(whole + cents)
	if t.Kind() != '"' || !ok || len(cents) != 2 || err != nil || n < 0 {
		return errors.New("no amount such as 12.50")
	}
	m.Cents = n
	return nil
}

// IsZero reports whether the money is missing.
func (m Money) IsZero() bool { return m.Cents == 0 }
