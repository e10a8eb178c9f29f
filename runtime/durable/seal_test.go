package durable

import (
	"bytes"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread/seal"
)

// TestSealBy holds that the plain parts of a record and of a summary have nothing that may be secret, and that both open as they were.
func TestSealBy(t *testing.T) {
	const mark = "the-SECRET-of-this-test"
	quoted := []byte(`"` + mark + `"`)
	keys, err := seal.New(seal.Key{ID: "a", Bytes: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	r := record{
		runs:     []entry{{place: "", cells: []byte(`".at":"x"`), hidden: append([]byte(`"name":`), quoted...)}},
		effects:  []effect{{"", "once.1.x", quoted}},
		verdicts: []verdict{{"x.1", engine.Decided{Verdict: engine.Verdict{Decision: graphgen.Deny, Reason: mark}}}},
		failure:  mark,
	}
	q := graphgen.Request{ID: "x.1", Tool: "pay", Arguments: mark, Question: mark, Choices: []string{mark}, Shown: []graphgen.Shown{{Name: "a", Text: mark}}}
	about := summary{chain: "b", failure: mark, requests: []graphgen.Request{q}}
	for name, by := range map[string]func() error{"record": func() error { return r.sealBy(keys, 7) }, "summary": func() error { return about.sealBy(keys) }} {
		if err := by(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for name, v := range map[string]codec.Struct{"record": &r, "summary": &about} {
		if data, err := codec.MarshalStruct(v); err != nil || bytes.Contains(data, []byte(mark)) || !bytes.Contains(data, []byte(`"sealed"`)) {
			t.Errorf("the %s is %s, %v", name, data, err)
		}
	}
	if err := r.openBy(keys, 7); err != nil || r.failure != mark || r.verdicts[0].Reason != mark || !bytes.Equal(r.effects[0].json,
		quoted) || !bytes.Contains(r.runs[0].hidden, quoted) {
		t.Errorf("the record opens as %+v, %v", r, err)
	}
	is := &about.requests[0]
	if err := about.openBy(keys); err != nil || about.failure != mark || is.Arguments != mark || is.Question != mark ||
		is.Choices[0] != mark || is.Shown[0].Text != mark {
		t.Errorf("the summary opens as %+v, %v", about, err)
	}
}
