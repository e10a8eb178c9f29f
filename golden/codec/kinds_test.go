package codec

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/graphgen/graphgen/runtime/codec"
)

// fewValues is a Values with every required field and nothing else, manyValues one with everything.
const (
	fewValues = `{"at":"2026-01-31T12:00:00.5+02:00","took":"1h30m0s","blob":"AP8=","extra":{"a":[1.0,null]},"price":"12.50",` +
		`"shape":{"kind":"circle","radius":1},"lasts":[],"blobs":{},"shapes":{},"prices":[],"tags":["a"],"counts":{}}`
	manyValues = `{"at":"0001-01-01T00:00:00Z","took":"-1.5s","blob":"","extra":null,"price":"0.00",` +
		`"shape":{"kind":"group","name":"all","shapes":[{"kind":"square","side":2,"kindly":"k"},{"kind":"group","name":"","shapes":[]}]},` +
		`"lasts":["1ns","0s"],"blobs":{"a":"","b":"AQID"},"shapes":{"x":{"kind":"square","side":-1}},"prices":["0.01","100.00"],` +
		`"maybe_at":"2026-01-31T12:00:00Z","maybe_blob":"AA==","maybe_extra":"x","maybe_price":"1.00","maybe_shape":{"kind":"circle","radius":0},` +
		`"tags":["a","b"],"maybe_tags":[],"counts":{"a":1}}`
	oneText = `{"code":"AB-12","word":"wörd"}`
)

func TestEveryKindRoundTrip(t *testing.T) {
	for name, c := range map[string]struct {
		in codec.Unmarshaler
		at string
	}{
		"values":                     {new(Values), fewValues},
		"values with everything":     {new(Values), manyValues},
		"texts":                      {new(Texts), oneText},
		"a type that holds itself":   {new(Node), `{"value":1,"next":{"value":2,"children":[]},"children":[{"value":3,"children":[]}]}`},
		"a variant by itself":        {new(Square), `{"side":1}`},
		"a state of unions":          {new(KindsState), `{"shape":{"kind":"square","side":1},"shapes":[{"kind":"circle","radius":2}],"waits":"0s"}`},
		"a state with nothing":       {new(KindsState), `{"shapes":[],"waits":"0s"}`},
		"an input without a default": {new(KindsInput), `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			if err := codec.Unmarshal([]byte(c.at), c.in); err != nil {
				t.Fatal(err)
			}
			got, err := codec.Marshal(c.in.(codec.Marshaler))
			if err != nil || string(got) != c.at {
				t.Errorf("written (error %v):\n%s\nwant:\n%s", err, got, c.at)
			}
		})
	}
}

func TestWhatIsReadIsWhatWasMeant(t *testing.T) {
	var v Values
	if err := codec.UnmarshalString(fewValues, &v); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 31, 10, 0, 0, 5e8, time.UTC)
	if !v.At.Equal(at) || v.Took != 90*time.Minute || string(v.Blob) != "\x00\xff" || string(v.Extra) != `{"a":[1.0,null]}` || v.Price.Cents != 1250 {
		t.Errorf("%+v", v)
	}
	if v.Shape != (Circle{Radius: 1}) {
		t.Errorf("shape %#v", v.Shape)
	}
}

func TestLabelPosition(t *testing.T) {
	want := Group{Name: "g", Shapes: []Shape{Square{Side: 1}, Circle{Radius: 2}}}
	for _, in := range []string{
		`{"kind":"group","name":"g","shapes":[{"kind":"square","side":1},{"kind":"circle","radius":2}]}`,
		` { "shapes" : [ { "side" : 1 , "kind" : "square" } , { "radius" : 2 , "k\u0069nd" : "circle" } ] , "kind" : "group" , "name" : "g" } `,
		`{"shapes":[{"side":1,"kind":"square"},{"radius":2,"kind":"c\u0069rcle"}],"name":"g","kind":"group"}`,
	} {
		var got Shape
		if err := codec.UnmarshalString(in, codec.Into(&got, DecodeShape)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nread %#v (error %v)", in, got, err)
		}
	}
}

// What a decoder remembers of the values it has looked through for a label must not change what it
// reads.
func TestLastLabelInDeepUnion(t *testing.T) {
	const deep, wide = 240, 40_000
	document := strings.TrimSuffix(strings.Repeat(`{"side":1,"kind":"square"},`, wide), ",")
	for range deep {
		document = `{"shapes":[` + document + `],"kind":"group"}`
	}
	var v Shape
	if err := codec.UnmarshalString(document, codec.Into(&v, DecodeShape)); err != nil {
		t.Fatal(err)
	}
	for range deep - 1 {
		v = v.(Group).Shapes[0]
	}
	if n := len(v.(Group).Shapes); n != wide {
		t.Errorf("the innermost has %d shapes, want %d", n, wide)
	}
}

func TestDefaults(t *testing.T) {
	want := Defaults{Tries: 3, Share: 0.5, Greeting: `hi "you"`, Loud: true, Mode: DefaultsModeFast, Wait: 90 * time.Second,
		Since: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), Salt: []byte{0, 255}, Last: 7}
	got := Defaults{Tries: 9}
	if err := codec.UnmarshalString(`{"last":7}`, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v (error %v), want %+v", got, err, want)
	}
	if err := codec.UnmarshalString(`{"last":7,"tries":0,"loud":false,"greeting":"","salt":""}`, &got); err != nil ||
		got.Tries != 0 || got.Loud || got.Greeting != "" || len(got.Salt) != 0 || got.Mode != want.Mode {
		t.Errorf("%+v (error %v)", got, err)
	}
	if err := codec.UnmarshalString(`{"last":7,"tries":null}`, &got); err == nil || err.Error() != "tries: expected an integer, found null" {
		t.Errorf("error %v: null is not absent", err)
	}
}

// put returns a document with a part of its text replaced.
func put(document, old, text string) string {
	if !strings.Contains(document, old) {
		panic(old)
	}
	return strings.Replace(document, old, text, 1)
}

func TestLimits(t *testing.T) {
	values := func(old, text string) string { return put(fewValues, old, text) }
	texts := func(more string) string { return put(oneText, `}`, `,`+more+`}`) }
	for name, c := range map[string]struct {
		into     codec.Unmarshaler
		in, want string
	}{
		"a time without a zone": {new(Values), values(`.5+02:00`, ``),
			`at: "2026-01-31T12:00:00" is no time as of RFC 3339, such as 2026-01-31T12:00:00Z`},
		"a day that is none": {new(Values), values(`01-31`, `02-30`),
			`at: "2026-02-30T12:00:00.5+02:00" is no time as of RFC 3339, such as 2026-01-31T12:00:00Z`},
		"a leap second":             {new(Values), values(`12:00:00.5+02:00`, `23:59:60Z`), `at: "2026-01-31T23:59:60Z" is no time that package time knows`},
		"a time as a number":        {new(Values), values(`"2026-01-31T12:00:00.5+02:00"`, `0`), `at: expected a string, found a number`},
		"a duration without a unit": {new(Values), values(`1h30m0s`, `90`), `took: "90" is no duration such as "1h30m", or one out of range`},
		"a duration out of range":   {new(Values), values(`1h30m0s`, `3000000h`), `took: "3000000h" is no duration such as "1h30m", or one out of range`},
		"bytes that are not base64": {new(Values), values(`AP8=`, `AP8`), `blob: expected bytes in base64, found "AP8"`},
		"bytes with a line break":   {new(Values), values(`AP8=`, `AP8=\n`), `blob: expected bytes in base64, found "AP8=\n"`},
		"too many bytes":            {new(Values), values(`AP8=`, `AQIDBAU=`), `blob: has 5 elements, want at most 4`},
		"too few bytes":             {new(Values), values(`"counts"`, `"maybe_blob":"","counts"`), `maybe_blob: has 0 elements, want at least 1`},
		"an element's bytes":        {new(Values), values(`"blobs":{}`, `"blobs":{"a.b":"?"}`), `blobs["a.b"]: expected bytes in base64, found "?"`},
		"an element's duration": {new(Values), values(`"lasts":[]`, `"lasts":["1s","s"]`),
			`lasts[1]: "s" is no duration such as "1h30m", or one out of range`},
		"a key twice in any": {new(Values), values(`[1.0,null]`, `{"x":1,"x":2}`), `extra.a: duplicate key "x"`},
		"any that is not JSON": {new(Values), values(`1.0`, `1.`),
			`extra.a[0]: no valid JSON: invalid character ',' in number (expecting digit), at byte 83`},
		"a Go type's own refusal":     {new(Values), values(`12.50`, `12.5`), `price: no amount such as 12.50`},
		"a Go type in a list":         {new(Values), values(`"prices":[]`, `"prices":["1.00","x"]`), `prices[1]: no amount such as 12.50`},
		"a list too short":            {new(Values), values(`["a"]`, `[]`), `tags: has 0 elements, want 1 to 2`},
		"a list too long":             {new(Values), values(`["a"]`, `["a","b","c"]`), `tags: has 3 elements, want 1 to 2`},
		"an optional list too long":   {new(Values), values(`"counts"`, `"maybe_tags":["a","b","c"],"counts"`), `maybe_tags: has 3 elements, want at most 2`},
		"a map too long":              {new(Values), values(`"counts":{}`, `"counts":{"a":1,"b":2}`), `counts: has 2 elements, want at most 1`},
		"a text too long in letters":  {new(Texts), put(oneText, `wörd`, `wörds`), `word: "wörds" has 5 characters, want 2 to 4`},
		"a text too short":            {new(Texts), put(oneText, `wörd`, `w`), `word: "w" has 1 character, want 2 to 4`},
		"an optional text too long":   {new(Texts), texts(`"note":"123456"`), `note: "123456" has 6 characters, want at most 5`},
		"a text of another pattern":   {new(Texts), put(oneText, `AB-12`, `ab-12`), `code: "ab-12" does not match ^[A-Z]{2}-\d+$`},
		"a text too long for its own": {new(Texts), put(oneText, `AB-12`, `AB-123456`), `code: "AB-123456" has 9 characters, want at most 8`},
		"an email without a host":     {new(Texts), texts(`"email":"a@"`), `email: "a@" is no email address`},
		"a clock without a zone":      {new(Texts), texts(`"clock":"12:00:00"`), `clock: "12:00:00" is no time of day as of RFC 3339, such as 12:00:00Z`},
		"no label":                    {new(Values), values(`"kind":"circle",`, ``), `shape: missing field "kind" of Shape`},
		"a label of no variant": {new(Values), values(`"circle"`, `"oval"`),
			`shape.kind: "oval" is no value of Shape: want one of circle, square, group`},
		"a label that is no text":    {new(Values), values(`"circle"`, `1`), `shape.kind: expected a string, one of circle, square, group, found a number`},
		"a label twice":              {new(Values), values(`"radius":1`, `"radius":1,"kind":"circle"`), `shape: duplicate key "kind"`},
		"a field of another variant": {new(Values), values(`"radius":1`, `"side":1`), `shape: unknown field "side" of Circle`},
		"a variant without a field":  {new(Values), values(`,"radius":1`, ``), `shape: missing field "radius" of Circle`},
		"null for a union":           {new(Values), values(`{"kind":"circle","radius":1}`, `null`), `shape: expected an object, found null`},
		"a bad variant deep inside": {new(Values), values(`"shapes":{}`, `"shapes":{"x":{"shapes":[{"radius":-1,"kind":"circle"}],"kind":"group","name":""}}`),
			`shapes.x.shapes[0].radius: -1 is less than 0`},
		"a label in a variant alone": {new(Square), `{"kind":"square","side":1}`, `unknown field "kind" of Square`},
	} {
		t.Run(name, func(t *testing.T) {
			err := codec.Unmarshal([]byte(c.in), c.into)
			if err == nil || err.Error() != c.want {
				t.Errorf("error:\n%v\nwant:\n%s", err, c.want)
			}
			if _, ok := errors.AsType[*codec.Error](err); !ok {
				t.Errorf("%T is no *codec.Error", err)
			}
		})
	}
}

func TestUnreadableValues(t *testing.T) {
	good := func(change func(*Values)) Values {
		var v Values
		if err := codec.UnmarshalString(fewValues, &v); err != nil {
			t.Fatal(err)
		}
		change(&v)
		return v
	}
	loop := &Node{}
	loop.Next = loop
	for name, c := range map[string]struct {
		in   codec.Marshaler
		want string
	}{
		"a time no document can say": {good(func(v *Values) { v.At = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }),
			`at: the time has a year or a zone that RFC 3339 does not have`},
		"any that is not set": {good(func(v *Values) { v.Extra = nil }), `extra: the value is not set`},
		"any that is not JSON": {good(func(v *Values) { v.Extra = jsontext.Value(`{"a":[1,}`) }),
			`extra.a[1]: no valid JSON: invalid character '}' at start of value, at byte 8`},
		"any with two values":          {good(func(v *Values) { v.Extra = jsontext.Value(`1 2`) }), `extra: data after the end of the document`},
		"any with a key twice":         {good(func(v *Values) { v.Extra = jsontext.Value(`{"a":1,"a":2}`) }), `extra: duplicate key "a"`},
		"a union that is not set":      {good(func(v *Values) { v.Shape = nil }), `shape: Shape is not set`},
		"a union that holds a pointer": {good(func(v *Values) { v.Shape = &Circle{} }), `shape: Shape holds a pointer, want the variant itself`},
		"a variant out of its limits":  {good(func(v *Values) { v.Shape = Circle{Radius: -1} }), `shape.radius: -1 is less than 0`},
		"a Go type's own refusal":      {good(func(v *Values) { v.Prices = []Money{{1}, {-1}} }), `prices[1]: a debt cannot be written`},
		"too many bytes":               {good(func(v *Values) { v.Blob = make([]byte, 5) }), `blob: has 5 elements, want at most 4`},
		"a list too short":             {good(func(v *Values) { v.Tags = nil }), `tags: has 0 elements, want 1 to 2`},
		"a text out of its limits":     {Texts{Code: "AB-1", Word: "w"}, `word: "w" has 1 character, want 2 to 4`},
		"a value that contains itself": {loop, strings.Repeat("next.", 499) + `next: nested too deep`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := codec.Marshal(c.in)
			if err == nil || err.Error() != c.want {
				t.Errorf("error:\n%v\nwant:\n%s", err, c.want)
			}
		})
	}
}

func TestAnyWithoutSpace(t *testing.T) {
	v := codec.Of(jsontext.Value(" {\"a b\" :\n[ 1 , \" \" ]}\t"), codec.WriteAny)
	if got, err := codec.Marshal(v); err != nil || string(got) != `{"a b":[1," "]}` {
		t.Errorf("written %s (error %v)", got, err)
	}
}

func TestNestingDepth(t *testing.T) {
	nested := func(n int) string {
		return strings.Repeat(`{"value":1,"next":`, n-1) + `{"value":1,"children":[]}` + strings.Repeat(`,"children":[]}`, n-1)
	}
	if err := codec.UnmarshalString(nested(codec.MaxDepth), new(Node)); err == nil {
		t.Error("the list of the innermost is one too deep, and is read")
	}
	var v Node
	if err := codec.UnmarshalString(nested(codec.MaxDepth-1), &v); err != nil {
		t.Fatal(err)
	}
	if data, err := codec.Marshal(v); err != nil || string(data) != nested(codec.MaxDepth-1) {
		t.Errorf("what is read is not written: %v", err)
	}
	limits := codec.Limits{Depth: 10, Size: 1000}
	if err := limits.Unmarshal(nested(10), new(Node)); err == nil || !strings.HasSuffix(err.Error(), "next.children: nested too deep") {
		t.Errorf("error %v", err)
	}
	if _, err := limits.Append(nil, v); err == nil || !strings.HasSuffix(err.Error(), "next: nested too deep") {
		t.Errorf("error %v", err)
	}
	if err := limits.Unmarshal(strings.Repeat(" ", 1001), new(Node)); err == nil || err.Error() != "the document is longer than 1000 bytes" {
		t.Errorf("error %v", err)
	}
	if _, err := (codec.Limits{Size: 20}).Append(nil, Node{}); err == nil || err.Error() != "the document is longer than 20 bytes" {
		t.Errorf("error %v", err)
	}
}

func TestFormats(t *testing.T) {
	for field, c := range map[string]struct{ good, bad []string }{
		"instant": {[]string{"2026-01-31T12:00:00Z", "2026-01-31t12:00:00.123456789z", "1998-12-31T23:59:60Z", "1998-12-31T15:59:60-08:00"},
			[]string{"2026-01-31", "2026-01-31T12:00:00", "2026-01-31 12:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:00:00.Z",
				"1998-12-31T22:59:60Z", "2026-01-31T12:00:00+24:00"}},
		"day":   {[]string{"2024-02-29"}, []string{"2026-02-29", "2026-1-1", "20260101", ""}},
		"clock": {[]string{"00:00:00Z", "23:59:59.5+23:59"}, []string{"00:00Z", "00:00:00", "0:00:00Z", "00:60:00Z", "00:00:00+0000", "00:00:00,5Z"}},
		"email": {[]string{"a@example.com", "a.b+c@x", `"a b"@x.org`, "a@[127.0.0.1]", "a@[IPv6:::1]"},
			[]string{"a", "@x", "a@", "a..b@x", ".a@x", "a.@x", "a b@x", "a@x_y", "a@[1.2.3]", strings.Repeat("a", 65) + "@x"}},
		"host": {[]string{"a", "a.b-c.d", "example.com.", strings.Repeat("a", 63)},
			[]string{"", "-a", "a-", "a..b", "a_b", "é", strings.Repeat("a", 64), strings.Repeat("abc.", 64) + "a"}},
		"v4": {[]string{"0.0.0.0", "255.255.255.255"}, []string{"1.2.3", "1.2.3.256", "01.2.3.4", "::1", ""}},
		"v6": {[]string{"::", "2001:db8::1", "::ffff:1.2.3.4"}, []string{"1.2.3.4", ":::", "fe80::1%eth0", "12345::"}},
		"link": {[]string{"https://example.com/a?b=c#d", "mailto:a@b", "urn:x:y", "file:///a", "http://u:p@[::1]:80/", "a:", "http://x/%C3%A9"},
			[]string{"", "//x", "/a", "a b:c", "http://a b", "http://[::1", "http://x:port", "http://x/%zz", "1a:b", "http://x/<>", "http://x/é"}},
		"id": {[]string{"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"},
			[]string{"", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g", "123e4567-e89b-12d3-a456_426614174000"}},
	} {
		t.Run(field, func(t *testing.T) {
			for want, list := range map[bool][]string{true: c.good, false: c.bad} {
				for _, text := range list {
					quoted, _ := json.Marshal(text)
					err := codec.UnmarshalString(put(oneText, `}`, `,"`+field+`":`+string(quoted)+`}`), new(Texts))
					if (err == nil) != want {
						t.Errorf("%q: error %v", text, err)
					}
				}
			}
		})
	}
}
