package harness

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

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
			if err := decode(encode(&want), &got); err != nil {
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
	if err := decode(json.RawMessage(`{"Size": 4, "Best": null}`), &got); err != nil {
		t.Fatal(err)
	}
	if want := (whole{Text: "kept", Size: 4}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestValuesThatDoNotFitAreErrors(t *testing.T) {
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
			if err := decode(json.RawMessage(text), new(whole)); err == nil {
				t.Error("no error")
			}
		})
	}
}
