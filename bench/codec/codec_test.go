// Package codec measures generated codecs beside those of others, on a message with tool
// calls of 2 KB: nested objects, lists, strings with some escapes, numbers, enums, fields
// that may be absent.
//
// The others check less: they take unknown, repeated and missing members, and any number
// and enum.
package codec

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"testing"

	v2 "github.com/go-json-experiment/json"
	"github.com/mailru/easyjson"

	"github.com/graphgen/graphgen/bench/codec/easy"
	"github.com/graphgen/graphgen/runtime/codec"
)

//go:embed testdata/reply.json
var message []byte

var decoders = []struct {
	name   string
	decode func([]byte) (any, error)
}{
	{"generated", func(data []byte) (any, error) { v := new(Reply); return v, codec.Unmarshal(data, v) }},
	{"generated through encoding json", func(data []byte) (any, error) { v := new(Reply); return v, json.Unmarshal(data, v) }},
	{"generated through json v2", func(data []byte) (any, error) { v := new(Reply); return v, v2.Unmarshal(data, v) }},
	{"encoding json", func(data []byte) (any, error) { v := new(easy.Reply); return v, json.Unmarshal(data, v) }},
	{"json v2", func(data []byte) (any, error) { v := new(easy.Reply); return v, v2.Unmarshal(data, v) }},
	{"easyjson", func(data []byte) (any, error) { v := new(easy.Reply); return v, easyjson.Unmarshal(data, v) }},
	{"jx", func(data []byte) (any, error) { v := new(easy.Reply); return v, decodeJX(data, v) }},
}

var encoders = []struct {
	name   string
	encode func(*values) ([]byte, error)
}{
	{"generated", func(v *values) ([]byte, error) { return codec.Marshal(v.own) }},
	{"generated into a kept buffer", func(v *values) ([]byte, error) { return codec.Append(kept[:0], v.own) }},
	{"generated through encoding json", func(v *values) ([]byte, error) { return json.Marshal(v.own) }},
	{"generated through json v2", func(v *values) ([]byte, error) { return v2.Marshal(v.own) }},
	{"encoding json", func(v *values) ([]byte, error) { return json.Marshal(v.peer) }},
	{"json v2", func(v *values) ([]byte, error) { return v2.Marshal(v.peer) }},
	{"easyjson", func(v *values) ([]byte, error) { return easyjson.Marshal(v.peer) }},
}

// The values are the message as generated, and as others declare it.
type values struct {
	own  *Reply
	peer *easy.Reply
}

// kept is a buffer that a caller has for many messages.
var kept = make([]byte, 0, 4<<10)

// What is compared does the same work.
func TestMessageCodecs(t *testing.T) {
	v := values{new(Reply), new(easy.Reply)}
	var want easy.Reply
	if err := json.Unmarshal(message, &want); err != nil {
		t.Fatal(err)
	}
	for _, d := range decoders {
		got, err := d.decode(message)
		if err != nil {
			t.Errorf("%s: %v", d.name, err)
			continue
		}
		switch got := got.(type) {
		case *Reply:
			v.own = got
		case *easy.Reply:
			if v.peer = got; !reflect.DeepEqual(*got, want) {
				t.Errorf("%s reads %+v, want %+v", d.name, *got, want)
			}
		}
	}
	for _, e := range encoders {
		data, err := e.encode(&v)
		if err != nil {
			t.Errorf("%s: %v", e.name, err)
			continue
		}
		var back easy.Reply
		if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, want) {
			t.Errorf("%s writes %s (error %v)", e.name, data, err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, d := range decoders {
		b.Run(d.name, func(b *testing.B) {
			b.SetBytes(int64(len(message)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.decode(message); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	v := values{new(Reply), new(easy.Reply)}
	for _, into := range []any{v.own, v.peer} {
		if err := json.Unmarshal(message, into); err != nil {
			b.Fatal(err)
		}
	}
	for _, e := range encoders {
		b.Run(e.name, func(b *testing.B) {
			b.SetBytes(int64(len(message)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.encode(&v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
