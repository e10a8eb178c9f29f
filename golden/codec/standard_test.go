package codec

import (
	stdjson "encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A twin is a type that encoding/json has to read and write as package codec does.
type twin struct {
	name     string
	document string
	new      func() codec.Unmarshaler
}

var twins = []twin{
	{"Finding", full, one[Finding]},
	{"small Finding", small, one[Finding]},
	{"Nothing", `{}`, one[Nothing]},
	{"Texts", subjects[2].document, one[Texts]},
	{"Node", subjects[3].document, one[Node]},
	{"Group", `{"name":"g","shapes":[{"kind":"square","side":2,"kindly":"k"},{"radius":1,"kind":"circle"},{"kind":"group","shapes":[]}]}`, one[Group]},
	{"Defaults", subjects[5].document, one[Defaults]},
	{"SurveyInput", `{"topic":"t","where":{"file":"f","line":2}}`, one[SurveyInput]},
	{"SurveyOutput", `{"findings":[],"rating":4,"max_steps_reached":true}`, one[SurveyOutput]},
	{"KindsInput", `{"root":{"value":1,"children":[]},"waits":"1s"}`, one[KindsInput]},
	{"KindsOutput", `{"shape":{"kind":"circle","radius":1},"code":"ab"}`, one[KindsOutput]},
	{"Values", manyValues, one[Values]},
}

func one[T any, P interface {
	*T
	codec.Unmarshaler
}]() codec.Unmarshaler {
	return P(new(T))
}

// same holds a twin to the codec: encoding/json accepts the document exactly if package codec does, for the same
// reason, and writes what package codec writes.
func (w *twin) same(t *testing.T, document string) (accepted bool) {
	t.Helper()
	one, other := w.new(), w.new()
	want := codec.UnmarshalString(document, one)
	got := stdjson.Unmarshal([]byte(document), other)
	if !stdjson.Valid([]byte(document)) { // its own words, before it asks the type
		if want == nil || got == nil {
			t.Fatalf("%s: %s\nis no JSON: codec %v, encoding/json %v", w.name, document, want, got)
		}
		return false
	}
	if !alike(want, got) {
		t.Fatalf("%s: %s\ncodec:         %v\nencoding/json: %v", w.name, document, want, got)
	}
	if want != nil {
		return false
	}
	text, err := codec.Marshal(one.(codec.Marshaler))
	if err != nil {
		t.Fatal(err)
	}
	w.written(t, other, string(text))
	return true
}

// written holds what encoding/json writes of a pointer and of its value.
func (w *twin) written(t *testing.T, of any, text string) {
	t.Helper()
	for form, v := range map[string]any{"a pointer": of, "a value": reflect.ValueOf(of).Elem().Interface()} {
		var b strings.Builder
		e := stdjson.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil || unescaped.Replace(b.String()) != text+"\n" {
			t.Fatalf("%s %s: %s\nby encoding/json: %s (error %v)", w.name, form, text, b.String(), err)
		}
	}
}

// unescaped undoes what encoding/json escapes for the sake of JavaScript.
var unescaped = strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029")

// alike reports whether two errors are the same finding at the same place.
func alike(want, got error) bool {
	if want == nil || got == nil {
		return want == nil && got == nil
	}
	one, ok := errors.AsType[*codec.Error](want)
	other, too := errors.AsType[*codec.Error](got)
	if !ok || !too {
		return false
	}
	return one.Path == other.Path && one.Message == other.Message
}

func TestStandardMutants(t *testing.T) {
	for _, w := range twins {
		t.Run(strings.ReplaceAll(w.name, " ", "_"), func(t *testing.T) {
			accepted, mutants := 0, tier.Pick(100, 500, 5000)
			if !w.same(t, w.document) {
				t.Fatal("the document itself is refused")
			}
			for d := range tier.Draws(t, mutants) {
				if w.same(t, mutant(w.document, d.Rand())) {
					accepted++
				}
			}
			if accepted == mutants && !tier.Alone() {
				t.Error("all accepted; want some refused")
			}
		})
	}
}

func FuzzEncodingJSONIsTheCodec(f *testing.F) {
	for i, w := range twins {
		f.Add(uint8(i), w.document)
		f.Add(uint8(i), mutant(w.document, rand.New(rand.NewPCG(uint64(i), 3))))
	}
	f.Fuzz(func(t *testing.T, which uint8, document string) {
		twins[int(which)%len(twins)].same(t, document)
	})
}

// The members may be in any order.
func TestStandardOrder(t *testing.T) {
	const text = `{"kind":"bug","resolved":false,"votes":[],"by_file":{},"counts":{},"matrix":[],"tags":[],"also":[],"score":3,` +
		`"confidence":0.5,"message":"m","severity":"low"}`
	var v Finding
	if err := stdjson.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	if got, err := stdjson.Marshal(v); err != nil || string(got) != small {
		t.Errorf("%s (error %v)", got, err)
	}
}

// An enum is the key of a map, and one that is not set is an error.
func TestEnumText(t *testing.T) {
	in := map[Severity]int{SeverityLow: 1, SeverityMedium: 2}
	text, err := stdjson.Marshal(in)
	if err != nil || string(text) != `{"low":1,"medium":2}` {
		t.Fatalf("%s (error %v)", text, err)
	}
	out := map[Severity]int{}
	if err := stdjson.Unmarshal(text, &out); err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("%v (error %v)", out, err)
	}
	if text, err := stdjson.Marshal(Severity(0)); err == nil {
		t.Errorf("an enum that is not set is %s", text)
	}
	if text, err := stdjson.Marshal(Severity(200)); err == nil {
		t.Errorf("an enum without such a value is %s", text)
	}
	err = stdjson.Unmarshal([]byte(`{"grim":1}`), &out)
	if err == nil || !strings.Contains(err.Error(), `"grim" is no value of Severity: want one of low, medium`) {
		t.Error(err)
	}
}
