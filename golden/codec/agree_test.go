package codec

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	v2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A subject is a type whose decoder and schema are compared, with a document of it.
type subject struct {
	name     string
	schema   string
	document string
	read     func(document string) error
}

var subjects = []subject{
	{"Finding", Finding{}.JSONSchema(), full, func(s string) error { return codec.UnmarshalString(s, new(Finding)) }},
	{"Values", Values{}.JSONSchema(), manyValues, func(s string) error { return codec.UnmarshalString(s, new(Values)) }},
	{"Texts", Texts{}.JSONSchema(), `{"code":"AB-12","word":"ab","note":"n","instant":"2026-01-31T12:00:00Z","day":"2026-01-31","clock":"12:00:00Z",` +
		`"email":"a@b.c","host":"a.b","v4":"1.2.3.4","v6":"::1","link":"http://a/b","id":"123e4567-e89b-12d3-a456-426614174000"}`,
		func(s string) error { return codec.UnmarshalString(s, new(Texts)) }},
	{"Node", Node{}.JSONSchema(), `{"value":1,"next":{"value":2,"children":[],"next":null},"children":[{"value":3,"children":[]}]}`,
		func(s string) error { return codec.UnmarshalString(s, new(Node)) }},
	{"Shape", ShapeJSONSchema(),
		`{"kind":"group","name":"g","shapes":[{"kind":"square","side":2,"kindly":"k"},{"kind":"circle","radius":1},{"kind":"group","shapes":[]}]}`,
		func(s string) error { return codec.UnmarshalString(s, codec.Into(new(Shape), DecodeShape)) }},
	{"Defaults", Defaults{}.JSONSchema(),
		`{"tries":1,"share":0,"greeting":"","loud":false,"mode":"slow","wait":"1s","since":"2026-01-31T12:00:00Z","salt":"","last":1}`,
		func(s string) error { return codec.UnmarshalString(s, new(Defaults)) }},
}

// differences are why a decoder refuses what its schema accepts: JSON Schema has no way to say it.
var differences = []string{
	"is out of the range of an integer",       // of Go's
	"is out of the range of a number",         // of Go's
	"or one out of range",                     // a duration of more than 292 years
	"is no time that package time knows",      // a leap second
	"expected bytes in base64",                // what contentEncoding lets through
	"has 5 elements, want at most 4",          // base64 counts bytes by threes
	"has 6 elements, want at most 4",          //
	"is no URI with a scheme",                 // the library's URIs are those of package url
	"no amount such as 12.50",                 // a Go type's own codec, of which the schema knows nothing
	"its codec does not read the whole value", // likewise
	"nested too deep",                         //
}

// pool is what a mutation puts anywhere.
var pool = []string{
	`null`, `true`, `false`, `0`, `-1`, `1.5`, `6`, `5.0`, `1e2`, `9223372036854775808`, `1e400`, `""`, `"low"`, `"fast"`, `"square"`, `"circle"`,
	`"AP8="`, `"AQIDBAU="`, `"A"`, `"AP9="`, `"1h"`, `"-1.5h"`, `"µs"`, `"5µs"`, `"+.5s"`, `"0"`, `"1"`, `"3000000h"`, `"2026-01-31T12:00:00Z"`,
	`"2026-02-30T12:00:00Z"`, `"1998-12-31T23:59:60Z"`, `"2026-01-31t12:00:00.1+23:00"`, `"2026-01-31"`, `"12:00:00+01:00"`, `"a@b"`, `"a@b@c"`,
	`"::"`, `"1.2.3.4"`, `"urn:a"`, `"%"`, `"AB-1"`, `"ab"`, `"abcde"`, `"éé"`, `"12.50"`, `[]`, `{}`, `["a","b","c"]`, `{"a":1}`,
	`{"kind":"circle","radius":1}`,
}

func draw(r *rand.Rand) any { return parse(pool[r.IntN(len(pool))]) }

// parse reads a document that is known to be one. Numbers stay as they are written.
func parse(document string) any {
	d := json.NewDecoder(strings.NewReader(document))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

// names are what a mutation adds as a member.
var names = []string{"kind", "type", "x", "value", "next", "side", "radius", "rank", "maybe_at", "last", "a"}

// mutate changes something somewhere in the value.
func mutate(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		keys := slices.Sorted(func(yield func(string) bool) {
			for k := range v {
				if !yield(k) {
					return
				}
			}
		})
		switch n := r.IntN(8); {
		case n == 0:
			return draw(r)
		case n == 1:
			v[names[r.IntN(len(names))]] = draw(r)
		case len(keys) > 0 && n == 2:
			delete(v, keys[r.IntN(len(keys))])
		case len(keys) > 1 && n == 3: // a copy, so that nothing is in two places
			text, _ := json.Marshal(v[keys[0]])
			v[keys[r.IntN(len(keys))]] = parse(string(text))
		case len(keys) > 0:
			k := keys[r.IntN(len(keys))]
			v[k] = mutate(r, v[k])
		}
		return v
	case []any:
		switch n := r.IntN(6); {
		case n == 0:
			return draw(r)
		case n == 1:
			return append(v, draw(r))
		case len(v) > 0 && n == 3:
			return v[1:]
		case len(v) > 0:
			i := r.IntN(len(v))
			v[i] = mutate(r, v[i])
		}
		return v
	}
	return draw(r)
}

// agree compares what the decoder and the schema say of a document.
func agree(t *testing.T, s *subject, schema *jsonschema.Schema, document string) (accepted bool) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	refused, failed := schema.Validate(v), s.read(document)
	known := failed != nil && slices.ContainsFunc(differences, func(d string) bool { return strings.Contains(failed.Error(), d) })
	if (refused == nil) != (failed == nil) && !(refused == nil && known) {
		t.Fatalf("%s\n%s\nschema: %v\ndecoder: %v", s.name, document, refused, failed)
	}
	return failed == nil
}

// mutant returns a document, changed a few times.
func mutant(document string, r *rand.Rand) string {
	v := parse(document)
	for range 1 + r.IntN(3) {
		v = mutate(r, v)
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestSchemaOnMutants(t *testing.T) {
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			schema := compiled(t, s.schema)
			accepted, mutants := 0, tier.Pick(300, 1000, 10_000)
			for d := range tier.Draws(t, mutants) {
				if agree(t, &s, schema, mutant(s.document, d.Rand())) {
					accepted++
				}
			}
			if !tier.Alone() && (accepted < mutants/50 || accepted > mutants*9/10) {
				t.Errorf("%d of %d accepted; want some of each", accepted, mutants)
			}
		})
	}
}

func FuzzTheSchemaAndTheDecoderAgree(f *testing.F) {
	var schemas []*jsonschema.Schema
	for i := range subjects {
		f.Add(uint8(i), uint64(i))
		schemas = append(schemas, compiled(f, subjects[i].schema))
	}
	f.Fuzz(func(t *testing.T, which uint8, seed uint64) {
		i := int(which) % len(subjects)
		agree(t, &subjects[i], schemas[i], mutant(subjects[i].document, rand.New(rand.NewPCG(seed, 0))))
	})
}

func FuzzAFormatIsWhatTheSchemaSays(f *testing.F) {
	schema := compiled(f, Texts{}.JSONSchema())
	for _, s := range pool {
		f.Add(s)
	}
	for _, s := range []string{"a+b.c@[IPv6:::1]", `"a b"@x`, "http://u:p@[::1]:8/a?b#c", "1998-12-31T15:59:60-08:00",
		"::ffff:1.2.3.4", "fe80::1%a", "a.b-c.", "12:00:00.5z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		if err != nil || !utf8.ValidString(text) || strings.HasPrefix(text, "@") { // the library knows mailboxes without a name
			return
		}
		for _, name := range []string{"note", "instant", "day", "clock", "email", "host", "v4", "v6", "link", "id"} {
			agree(t, &subjects[2], schema, put(oneText, `}`, `,"`+name+`":`+string(quoted)+`}`))
		}
	})
}

// valuesTwin is Values for encoding/json/v2 by reflection. What only package codec knows is
// raw, or a text.
type valuesTwin struct {
	At     time.Time          `json:"at"`
	Took   string             `json:"took"`
	Blob   []byte             `json:"blob"`
	Extra  jsontext.Value     `json:"extra"`
	Price  Money              `json:"price"`
	Shape  jsontext.Value     `json:"shape"`
	Lasts  []string           `json:"lasts"`
	Blobs  map[string][]byte  `json:"blobs"`
	Shapes map[string]any     `json:"shapes"`
	Prices []Money            `json:"prices"`
	MaybeA *time.Time         `json:"maybe_at,omitzero"`
	MaybeB *[]byte            `json:"maybe_blob,omitzero"`
	MaybeE *jsontext.Value    `json:"maybe_extra,omitzero"`
	MaybeP *Money             `json:"maybe_price,omitzero"`
	MaybeS *map[string]any    `json:"maybe_shape,omitzero"`
	Tags   []string           `json:"tags"`
	MaybeT *[]string          `json:"maybe_tags,omitzero"`
	Counts map[string]float64 `json:"counts"`
}

func FuzzValuesReadAndWriteAsJSONv2Does(f *testing.F) {
	f.Add(fewValues)
	f.Add(manyValues)
	for seed := range uint64(200) {
		f.Add(mutant(manyValues, rand.New(rand.NewPCG(seed, 1))))
	}
	f.Fuzz(func(t *testing.T, document string) {
		var got Values
		if err := codec.UnmarshalString(document, &got); err != nil {
			return
		}
		written, err := codec.Marshal(got)
		if err != nil {
			t.Fatalf("%s\nis read, but not written: %v", document, err)
		}
		var want, back valuesTwin
		if err := v2.Unmarshal([]byte(document), &want, v2.RejectUnknownMembers(true)); err != nil {
			if strings.Contains(err.Error(), "parsing time") { // RFC 3339 allows t and z, which package time does not
				return
			}
			t.Fatalf("%s\nis read, but: %v", document, err)
		}
		if err := v2.Unmarshal(written, &back, v2.RejectUnknownMembers(true)); err != nil {
			t.Fatalf("%s\nis written, but: %v", written, err)
		}
		if one, other := canonical(t, want), canonical(t, back); one != other {
			t.Fatalf("%s\nread and written again:\n%s", one, other)
		}
		var again Values
		if err := codec.Unmarshal(written, &again); err != nil {
			t.Fatalf("%s\nis written, but not read: %v", written, err)
		}
		if key, _ := codec.Key(again); key != string(written) {
			t.Fatalf("%s\nread and written again:\n%s", written, key)
		}
	})
}

// canonical is the text of a twin, in which equal values are equal.
func canonical(t *testing.T, v valuesTwin) string {
	t.Helper()
	spans := append([]string{v.Took}, v.Lasts...)
	for i, text := range spans {
		span, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		spans[i] = span.String()
	}
	v.Took, v.Lasts = spans[0], spans[1:]
	text, err := v2.Marshal(v, v2.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	if err := (*jsontext.Value)(&text).Canonicalize(); err != nil {
		t.Fatal(err)
	}
	return string(text)
}
