package types

import "github.com/go-json-experiment/json/jsontext"

// Ticket is a type of the graph's own package that a person wrote.
type Ticket string

// MarshalJSONTo writes the ticket.
func (t Ticket) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteToken(jsontext.String(string(t)))
}

// UnmarshalJSONFrom reads the ticket.
func (t *Ticket) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	token, err := d.ReadToken()
	*t = Ticket(token.String())
	return err
}
