package codec

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestAhead compares the path of the next value with the one that package jsontext gives.
func TestAhead(t *testing.T) {
	for _, written := range []string{
		``,
		`"te`,
		`{`,
		`{"a":`,
		`{"a":"te`,
		`{"a":1,"b":`,
		`{"a":1,"te`,
		`{"a":"b","c,:[]{}\"\\":`,
		`{"\u00e4 /~":`,
		`{"":[`,
		`[`,
		`["te`,
		`[1,"a:",-2e3,null,`,
		`[{"a":[]},{"b":{}},[[1,2],[`,
		`[{"a":1},{"a":[true,{"b":"c"},{"d":{"e":[0,`,
	} {
		s := jsontext.NewDecoder(bytes.NewBufferString(written), jsontext.AllowDuplicateNames(true))
		for s.PeekKind() != jsontext.KindInvalid {
			if _, err := s.ReadToken(); err != nil {
				break
			}
		}
		if got, want := ahead([]byte(written)), upcoming(s); got != want {
			t.Errorf("%s: %q, want %q", written, got, want)
		}
	}
}
