package harness

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

var words vocabulary

type color uint8

func (color) String() string { return "a color" }

type part struct {
	Name  string
	Count *int
}

type whole struct {
	Text  string
	Size  int
	Share float64
	Done  bool
	Hue   color
	Parts []part
	Votes map[string]int
	Best  *part
}

func TestValuesKeepTheirContent(t *testing.T) {
	three := 3
	for name, want := range map[string]whole{
		"nothing": {},
		"everything": {
			Text: "a \"b\"\n", Size: math.MinInt, Share: 0.1, Done: true, Hue: 2,
			Parts: []part{{Name: "x", Count: &three}, {}}, Votes: map[string]int{"": 1, "y": -2}, Best: &part{Name: "z"},
		},
		"numbers that JSON does not have": {Share: math.Inf(-1)},
		"numbers that a float64 rounds":   {Size: math.MaxInt, Share: math.MaxFloat64},
	} {
		t.Run(name, func(t *testing.T) {
			var got whole
			if err := words.decode(words.encode(&want), &got); err != nil {
				t.Fatal(err)
			}
			if want.Parts == nil {
				want.Parts = []part{}
			}
			if want.Votes == nil {
				want.Votes = map[string]int{}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestAbsentFieldsStayAsTheyAre(t *testing.T) {
	got := whole{Text: "kept", Size: 3}
	if err := words.decode(json.RawMessage(`{"Size": 4, "Best": null}`), &got); err != nil {
		t.Fatal(err)
	}
	if want := (whole{Text: "kept", Size: 4}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestInvalidValues(t *testing.T) {
	for name, text := range map[string]string{
		"a field that is not there": `{"Color": 1}`,
		"a text for a number":       `{"Size": "many"}`,
		"a number for a text":       `{"Text": 1}`,
		"a fraction for an int":     `{"Size": 1.5}`,
		"an enum out of range":      `{"Hue": 300}`,
		"a map for a list":          `{"Parts": {}}`,
		"a list for a map":          `{"Votes": []}`,
		"a list for a struct":       `{"Best": []}`,
		"a bad element":             `{"Parts": [{"Count": true}]}`,
		"a bad entry":               `{"Votes": {"a": "b"}}`,
		"no JSON":                   `{`,
	} {
		t.Run(name, func(t *testing.T) {
			if err := words.decode(json.RawMessage(text), new(whole)); err == nil {
				t.Error("no error")
			}
		})
	}
}

type figure interface{ isFigure() }

type disc struct{ Radius float64 }

func (disc) isFigure() {}

// cents is a type with codec methods of its own.
type cents int

func (c cents) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteToken(jsontext.String(strconv.Itoa(int(c)) + "ct"))
}

func (c *cents) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(strings.TrimSuffix(t.String(), "ct"))
	*c = cents(n)
	return err
}

type modern struct {
	At     time.Time
	Due    *time.Time
	Took   time.Duration
	Data   []byte
	Raw    jsontext.Value
	Figure figure
	All    []figure
	Price  cents
}

func TestValueTexts(t *testing.T) {
	known := vocabulary{Variant[disc](), Opaque[cents]()}
	east := time.FixedZone("", 3600)
	v := modern{
		At: time.Date(2026, 1, 31, 13, 0, 0, 5, east), Took: 90 * time.Second, Data: []byte("hello"),
		Raw: jsontext.Value(`{"b": 1.0, "a": [null]}`), Figure: disc{2}, All: []figure{nil, disc{1}}, Price: 7,
	}
	want := `{"All":[null,{"disc":{"Radius":1}}],"At":"2026-01-31T12:00:00.000000005Z","Data":"aGVsbG8=","Due":null,` +
		`"Figure":{"disc":{"Radius":2}},"Price":"\"7ct\"","Raw":"{\"a\":[null],\"b\":1.0}","Took":90000000000}`
	text := known.encode(&v)
	if string(text) != want {
		t.Fatalf("got  %s\nwant %s", text, want)
	}
	var back modern
	if err := known.decode(text, &back); err != nil {
		t.Fatal(err)
	}
	if again := known.encode(&back); string(again) != want || !back.At.Equal(v.At) || back.Price != 7 || back.Figure != v.Figure {
		t.Errorf("read back as %+v", back)
	}
	if err := known.decode(json.RawMessage(`{"Figure": {"square": {}}}`), &back); err == nil {
		t.Error("a variant that is none is read")
	}
}
