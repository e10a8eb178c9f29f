package codec_test

import (
	"bytes"
	"errors"
	"math/big"
	"net/netip"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/graphgen/graphgen/runtime/codec"
)

// documents are what fuzzing begins with: every token, and every way one can be wrong.
var documents = []string{
	`null`, `true`, `false`, ` {"a" : [ 1 , -2.5e+3 , "x" ] } `, `[[],{},[{}]]`, "\t\n\r 0", `-0`, `1e999`, `1E-5`, `01`, `1.`, `.5`, `+1`, `-`,
	`9223372036854775807`, `9223372036854775808`, `123456789012345678901234567890`, `0.1234567890123456789`, `1e`, `1e+`, `5.0`, `1e2`,
	`""`, `"plain text, long enough for a word"`, `"\"\\\/\b\f\n\r\t"`, `"\u00e9\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\ud83dx"`, `"\u12"`, `"\x"`,
	`"é😀"`, "\"1234567\xff\"", "\"1234567\xc3\"", "\"\x01\"", "\"\x7f\"", `"open`, `"open\`, `nul`, `nulll`, `tru`, `[1,]`, `[,1]`,
	`[1 2]`, `{"a":1,}`, `{"a" 1}`, `{a:1}`,
	`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":{"b":1,"b":2}}`, `[}`, `{]`, `1 2`, `{} x`, "{}\x00", "\xef\xbb\xbf{}", ``, ` `,
	`{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0,"k":0,"l":0,"m":0,"n":0,"o":0,"p":0,"q":0,"b":0}`,
	strings.Repeat("[", 600) + strings.Repeat("]", 600),
}

// reference reads one document with encoding/json/v2.
func reference(text string, v any) error { return json.Unmarshal([]byte(text), v) }

func FuzzADocumentIsJSONIfJSONTextSaysSo(f *testing.F) {
	for _, d := range documents {
		f.Add(d)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got, want jsontext.Value
		err, wrong := codec.Limits{Depth: 9000}.Unmarshal(text, codec.Into(&got, codec.ReadAny)), reference(text, &want)
		if (err == nil) != (wrong == nil) && strings.Count(text, "[")+strings.Count(text, "{") < 9000 {
			t.Fatalf("%q\ncodec: %v\njson/v2: %v", text, err, wrong)
		}
		if err != nil {
			if _, ok := errors.AsType[*codec.Error](err); !ok {
				t.Fatalf("%T is no *codec.Error", err)
			}
			if strings.Contains(err.Error(), "data after") && (wrong == nil || !beginsWithOne(text)) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if string(got) != string(bytes.TrimSpace([]byte(want))) {
			t.Fatalf("%q: kept %q, want %q", text, got, want)
		}
		written, err := codec.Limits{Depth: 9000}.Append(nil, codec.Of(got, codec.WriteAny))
		if want.Compact(); err != nil || string(written) != string(want) {
			t.Fatalf("%q: written %q (error %v), want %q", text, written, err, want)
		}
	})
}

// beginsWithOne reports whether a JSON value is at the begin of the text.
func beginsWithOne(text string) bool {
	_, err := jsontext.NewDecoder(strings.NewReader(text)).ReadValue()
	return err == nil
}

func FuzzAStringIsReadAndWrittenAsJSONv2Does(f *testing.F) {
	for _, d := range documents {
		f.Add(d)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got, want string
		err, wrong := codec.UnmarshalString(text, codec.Into(&got, codec.ReadString)), reference(text, &want)
		if null := wrong == nil && strings.TrimSpace(text) == "null"; (err == nil) != (wrong == nil) != null || got != want {
			t.Fatalf("%q: %q (error %v), want %q (error %v)", text, got, err, want, wrong)
		}
		written, err := codec.Marshal(codec.Of(text, codec.WriteString))
		expected, wrong := json.Marshal(text)
		if (err == nil) != (wrong == nil) || err == nil && string(written) != string(expected) {
			t.Fatalf("%q: written %s (error %v), want %s (error %v)", text, written, err, expected, wrong)
		}
	})
}

func FuzzANumberIsWhatItSays(f *testing.F) {
	for _, d := range documents {
		f.Add(d)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var float, want float64
		err, wrong := codec.UnmarshalString(text, codec.Into(&float, codec.ReadFloat)), reference(text, &want)
		if strings.TrimSpace(text) == "null" {
			return
		}
		if (err == nil) != (wrong == nil) || err == nil && float != want {
			t.Fatalf("%q: %g (error %v), want %g (error %v)", text, float, err, want, wrong)
		}
		if err == nil {
			written, err := codec.Marshal(codec.Of(float, codec.WriteFloat))
			if expected, _ := json.Marshal(want); err != nil || string(written) != string(expected) {
				t.Fatalf("%q: written %s (error %v), want %s", text, written, err, expected)
			}
		}
		var n int
		if err := codec.UnmarshalString(text, codec.Into(&n, codec.ReadInt)); wrong == nil && len(text) < 100 && smallExponent(text) {
			exact, _ := new(big.Rat).SetString(strings.TrimSpace(text))
			if fits := exact.IsInt() && exact.Num().IsInt64(); fits != (err == nil) || fits && exact.Num().Int64() != int64(n) {
				t.Fatalf("%q: %d (error %v), want %s", text, n, err, exact)
			}
		}
	})
}

// smallExponent keeps numbers small enough to be worked out exactly.
func smallExponent(text string) bool {
	_, exponent, has := strings.Cut(strings.ToLower(strings.TrimSpace(text)), "e")
	return !has || len(strings.Trim(exponent, "+-0")) < 4
}

func FuzzAStructIsReadAsJSONv2Does(f *testing.F) {
	for _, d := range documents {
		f.Add(d)
	}
	f.Add(`{"name":"a","level":"low","sizes":[1,9],"note":null,"named":{"x":{"level":"high","name":""}}}`)
	f.Add(`{"na\u006de":"a","note":"n","level":"low"}`)
	type twin struct {
		Name  *string          `json:"name"`
		Level *string          `json:"level"`
		Sizes []int            `json:"sizes"`
		Note  *string          `json:"note"`
		Named map[string]*twin `json:"named"`
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got part
		if err := codec.UnmarshalString(text, &got); err != nil {
			return
		}
		var want twin
		if err := json.Unmarshal([]byte(text), &want, json.RejectUnknownMembers(true)); err != nil {
			if !strings.Contains(text, ".") && !strings.ContainsAny(text, "eE") { // 5.0 is an integer here
				t.Fatalf("%q is read, but: %v", text, err)
			}
			return
		}
		if want.Name == nil || got.Name != *want.Name || want.Level == nil || len(got.Sizes) != len(want.Sizes) || len(got.Named) != len(want.Named) {
			t.Fatalf("%q: %+v, want %+v", text, got, want)
		}
		written, err := codec.Marshal(got)
		if err != nil {
			t.Fatalf("%q is read, but not written: %v", text, err)
		}
		var back part
		if err := codec.Unmarshal(written, &back); err != nil {
			t.Fatalf("%s is written, but not read: %v", written, err)
		}
		if again, _ := codec.Marshal(back); !bytes.Equal(again, written) {
			t.Fatalf("%s read and written again: %s", written, again)
		}
	})
}

// FuzzAddresses holds the formats ipv4 and ipv6 against package net/netip.
func FuzzAddresses(f *testing.F) {
	for _, s := range []string{
		"1.2.3.4", "01.2.3.4", "1.2.3.256", "::", "1::2", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4",
		"1::2::3", "fe80::1%eth0", "1:2:3:4:5:6:7::", "::1.2.3.4:5", ":1::2", ":::", "1:2:3:4:5:6:7:8:9", "::2:3:4:5:6:7:8",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := netip.ParseAddr(s)
		if got, want := within(codec.Text{Format: codec.IPv4}, s), err == nil && a.Is4(); got != want {
			t.Errorf("ipv4 %q: %t, want %t", s, got, want)
		}
		if got, want := within(codec.Text{Format: codec.IPv6}, s), err == nil && a.Is6() && a.Zone() == ""; got != want {
			t.Errorf("ipv6 %q: %t, want %t", s, got, want)
		}
	})
}

// within reports whether a string is within limits.
func within(limits codec.Text, s string) bool {
	quoted, err := json.Marshal(s)
	return err == nil && codec.UnmarshalString(string(quoted), decoded(func(d *codec.Decoder) {
		var v string
		limits.ReadString(&v, d)
	})) == nil
}

// decoded is what a function decodes.
type decoded func(*codec.Decoder)

// DecodeJSON calls the function.
func (f decoded) DecodeJSON(d *codec.Decoder) { f(d) }
