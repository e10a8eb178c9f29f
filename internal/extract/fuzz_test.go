package extract_test

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/graphgen/graphgen/internal/extract"
	"github.com/graphgen/graphgen/runtime/codec"
)

func FuzzASearchTriesPartsOfTheTextAndEnds(f *testing.F) {
	for _, text := range []string{
		ann, fence("json", ann), "So: " + ann + " or " + bob, "<think>" + bob + "</think>" + ann, `{"a": [1, {"b": "}"}`,
		"```json\n{\n```json\n{}\n~~~\n[]", "x ```\n{}```\n", fence("", "[ ]"), "[ ] [1] [x] {y} {y: 1} {{z}}", `"bug" is true, 42.`,
		"\xff{\"\xff\":1}", "\ufeff{}", strings.Repeat("[", 600),
	} {
		f.Add(text, uint8(extract.Object))
		f.Add(text, uint8(extract.List|extract.Text|extract.Number|extract.Bool|extract.Null))
	}
	f.Fuzz(func(t *testing.T, text string, kinds uint8) {
		want := extract.Kind(kinds)
		tries, sum := 0, 0
		no := errors.New("no")
		err := extract.JSON(text, want, func(json string) error {
			tries++
			sum += len(json)
			if json == "" || !within(json, text) {
				t.Errorf("%q is no part of %q", json, text)
			}
			return no
		})
		if tries > extract.MaxCandidates || sum > 6*len(text) {
			t.Errorf("%d tries of %d bytes for a text of %d: %q", tries, sum, len(text), text)
		}
		if _, none := errors.AsType[*extract.Error](err); err == nil || tries == 0 && !none {
			t.Errorf("%d tries, and the error is %v", tries, err)
		}

		// What is JSON as a whole is found as a whole, and what is JSON in a block too.
		var v jsontext.Value
		read := func(json string) error { return codec.UnmarshalString(json, codec.Into(&v, codec.ReadAny)) }
		if read(text) != nil || want&kindOf(v) == 0 {
			return
		}
		value := string(v)
		for _, around := range []string{text, fence("json", text), "Sure:\n" + fence("", text), "```json\n" + text} {
			if err := extract.JSON(around, want, read); err != nil || string(v) != value {
				t.Errorf("in %q: %q (error %v), want %q", around, v, err, value)
			}
		}
	})
}

// within reports whether the memory of a text is a part of another one's.
func within(part, text string) bool {
	p, t := uintptr(unsafe.Pointer(unsafe.StringData(part))), uintptr(unsafe.Pointer(unsafe.StringData(text)))
	return p >= t && p+uintptr(len(part)) <= t+uintptr(len(text))
}

func kindOf(v jsontext.Value) extract.Kind {
	return map[jsontext.Kind]extract.Kind{
		'{': extract.Object, '[': extract.List, '"': extract.Text, '0': extract.Number,
		't': extract.Bool, 'f': extract.Bool, 'n': extract.Null,
	}[v.Kind()]
}
