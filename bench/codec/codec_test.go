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
	{"generated through json v2", func(data []byte) (any, error) { v := new(Reply); return v, v2.Unmarshal(data, v) }},
	{"encoding json", func(data []byte) (any, error) { v := new(easy.Reply); return v, json.Unmarshal(data, v) }},
	{"json v2", func(data []byte) (any, error) { v := new(easy.Reply); return v, v2.Unmarshal(data, v) }},
	{"easyjson", func(data []byte) (any, error) { v := new(easy.Reply); return v, easyjson.Unmarshal(data, v) }},
	{"jx", func(data []byte) (any, error) { v := new(easy.Reply); return v, decodeJX(data, v) }},
}

var encoders = []struct {
	name   string
	encode func(*Reply, *easy.Reply) ([]byte, error)
}{
	{"generated", func(v *Reply, _ *easy.Reply) ([]byte, error) { return codec.Marshal(v) }},
	{"generated into a kept buffer", func(v *Reply, _ *easy.Reply) ([]byte, error) { return codec.Append(kept[:0], v) }},
	{"generated through json v2", func(v *Reply, _ *easy.Reply) ([]byte, error) { return v2.Marshal(v) }},
	{"encoding json", func(_ *Reply, v *easy.Reply) ([]byte, error) { return json.Marshal(v) }},
	{"json v2", func(_ *Reply, v *easy.Reply) ([]byte, error) { return v2.Marshal(v) }},
	{"easyjson", func(_ *Reply, v *easy.Reply) ([]byte, error) { return easyjson.Marshal(v) }},
}

// kept is a buffer that a caller has for many messages.
var kept = make([]byte, 0, 4<<10)

// What is compared does the same work.
func TestMessageCodecs(t *testing.T) {
	var own Reply
	var want, peer easy.Reply
	if err := json.Unmarshal(message, &want); err != nil {
		t.Fatal(err)
	}
	for _, d := range decoders {
		v, err := d.decode(message)
		if err != nil {
			t.Errorf("%s: %v", d.name, err)
			continue
		}
		switch v := v.(type) {
		case *Reply:
			own = *v
		case *easy.Reply:
			if peer = *v; !reflect.DeepEqual(peer, want) {
				t.Errorf("%s reads %+v, want %+v", d.name, peer, want)
			}
		}
	}
	for _, e := range encoders {
		data, err := e.encode(&own, &peer)
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
	var own Reply
	var peer easy.Reply
	if err := codec.Unmarshal(message, &own); err != nil {
		b.Fatal(err)
	}
	if err := json.Unmarshal(message, &peer); err != nil {
		b.Fatal(err)
	}
	for _, e := range encoders {
		b.Run(e.name, func(b *testing.B) {
			b.SetBytes(int64(len(message)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.encode(&own, &peer); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
