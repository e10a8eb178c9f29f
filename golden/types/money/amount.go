// Package money is a package that a spec takes a type from.
package money

import (
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Amount is an amount of money in cents. In JSON it is a text such as "12.50".
type Amount int

var errAmount = errors.New("an amount is a text such as 12.50")

// MarshalJSONTo writes the amount.
func (a Amount) MarshalJSONTo(e *jsontext.Encoder) error {
	cents := strconv.Itoa(int(a) % 100)
	return e.WriteToken(jsontext.String(strconv.Itoa(int(a)/100) + "." + strings.Repeat("0", 2-len(cents)) + cents))
}

// UnmarshalJSONFrom reads the amount.
func (a *Amount) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != '"' {
		return errAmount
	}
	whole, cents, ok := strings.Cut(t.String(), ".")
	w, err1 := strconv.Atoi(whole)
	c, err2 := strconv.Atoi(cents)
	if !ok || len(cents) != 2 || err1 != nil || err2 != nil {
		return errAmount
	}
	*a = Amount(100*w + c)
	return nil
}
