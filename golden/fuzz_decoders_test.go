package golden_test

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/answers"
	"github.com/graphgen/graphgen/golden/toolcalls"
	"github.com/graphgen/graphgen/internal/extract"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

// A value of a generated type.
type value interface {
	codec.Marshaler
	codec.Unmarshaler
}

// sound holds what a decoder of a model's words has taken: it can be written, and what is
// written is read as the same.
func sound(t *testing.T, words string, v, again value) {
	t.Helper()
	text, err := codec.Key(v)
	if err != nil {
		t.Fatalf("%q was read, but cannot be written: %v", words, err)
	}
	if err := codec.UnmarshalString(text, again); err != nil {
		t.Fatalf("%q was read and written as %s, which cannot be read: %v", words, text, err)
	}
	if same, err := codec.Key(again); err != nil || same != text {
		t.Fatalf("%q is %s, and then %s (error %v)", words, text, same, err)
	}
}

// longestComplaint is what a model is told at most of what is wrong, in bytes.
const longestComplaint = 4000

// Arguments are words of a model: they fit the tool, or the model is told in few words why not.
func FuzzArgumentsOfAGeneratedTool(f *testing.F) {
	for _, words := range []string{
		``, `{}`, ` `, `null`, `{"about":"rivers"}`, `{"about":"rivers","limit":3}`, `{"about":"rivers","limit":null}`, `{"about":"a","about":"b"}`,
		`{"about":"\ud800"}`, "{\"about\":\"\xff\"}", `{"about":1}`, `{"about":"a","limit":1e99}`, `{"about":"a"} {}`,
		`[{"about":"a"}]`, `{"about":[[[[`, "```json\n{\"about\":\"a\"}\n```",
	} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		var args, again toolcalls.ToolcallsWeighArgs
		err := pipeline.Arguments(&chat.ToolCall{Name: "weigh", Arguments: words}, &args)
		if err == nil {
			if words != "" && !jsontext.Value(words).IsValid() {
				t.Fatalf("%q was read, and is not JSON", words)
			}
			sound(t, words, &args, &again)
			return
		}
		if e, ok := errors.AsType[*chat.ToolError](err); !ok || e.Kind != chat.BadArguments || len(err.Error()) > longestComplaint+len(words) {
			t.Errorf("%q gives %T of %d bytes", words, err, len(err.Error()))
		}
		var none toolcalls.ToolcallsNowArgs
		if err := pipeline.Arguments(&chat.ToolCall{Arguments: words}, &none); err == nil && words != "" && !jsontext.Value(words).IsValid() {
			t.Errorf("%q was read as no arguments", words)
		}
	})
}

// shape is the union as what reads and writes itself.
type shape struct{ v answers.Shape }

func (s *shape) DecodeJSON(d *codec.Decoder) { answers.DecodeShape(&s.v, d) }
func (s *shape) EncodeJSON(e *codec.Encoder) { answers.EncodeShape(s.v, e) }

// Outputs are words of a model too, with prose around them.
func FuzzOutputOfAGeneratedNode(f *testing.F) {
	for _, words := range []string{
		``, `{"score":3,"issues":[],"by":{"name":"a"}}`,
		"Here:\n```json\n{\"score\":3,\"issues\":[\"x\"],\"by\":{\"name\":\"a\",\"at\":\"2020-01-01T00:00:00Z\"}}\n```\nDone.",
		`{"score":9,"issues":[],"by":{"name":"a"}} or {"score":1,"issues":[],"by":{"name":"b"}}`, `{"score":3,"issues":null,"by":{}}`,
		`{"form":"round","radius":3}`,
		`{"form":"square"}`, `{"radius":3,"form":"round"}`, `{"form":"none"}`,
		`<think>{"form":"round","radius":1}</think>{"form":"square","side":2}`, `{"form":{"form":"round"}}`, "{\"form\":\"round\",\"radius\":\xff}",
	} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		for _, c := range []struct{ v, again value }{{&answers.Verdict{}, &answers.Verdict{}}, {&shape{}, &shape{}}} {
			taken := ""
			err := extract.JSON(words, extract.Object, func(json string) error {
				taken = json
				return codec.UnmarshalString(json, c.v)
			})
			if err == nil {
				sound(t, taken, c.v, c.again)
			} else if len(err.Error()) > longestComplaint+len(words) {
				t.Errorf("%q gives an error of %d bytes", words, len(err.Error()))
			}
		}
	})
}
