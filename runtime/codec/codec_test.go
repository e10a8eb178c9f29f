package codec_test

import (
	"errors"
	"math"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/runtime/codec"
)

// value is a Marshaler and Unmarshaler made of two functions.
type value[T any] struct {
	v     T
	read  codec.Reader[T]
	write codec.Writer[T]
}

func (v *value[T]) DecodeJSON(d *codec.Decoder) { v.read(&v.v, d) }
func (v value[T]) EncodeJSON(e *codec.Encoder)  { v.write(v.v, e) }

type level uint8

var levelJSON = codec.Enum{Type: "Level", Names: []string{"low", "high"}}

func readLevel(v *level, d *codec.Decoder) { codec.ReadEnum(v, d, &levelJSON) }
func writeLevel(v level, e *codec.Encoder) { codec.WriteEnum(v, e, &levelJSON) }

// A part is a struct as generated code has them.
type part struct {
	Name  string
	Level level
	Sizes []int
	Note  *string
	Named map[string]part
}

var partJSON = codec.Members{
	Type:     "Part",
	Names:    []string{"name", "level", "sizes", "note", "named"},
	Optional: []string{"sizes", "note", "named"},
}

func (v *part) DecodeJSON(d *codec.Decoder) {
	*v = part{}
	o := codec.ReadObject(d, &partJSON)
	for o.Next() {
		switch o.Name {
		case "name":
			codec.ReadString(&v.Name, d)
		case "level":
			readLevel(&v.Level, d)
		case "sizes":
			codec.ReadList(&v.Sizes, d, codec.Between(1, 9).ReadInt)
		case "note":
			codec.ReadOptional(&v.Note, d, codec.ReadString)
		case "named":
			codec.ReadMap(&v.Named, d, (*part).DecodeJSON)
		}
	}
}

func (v part) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	e.Name("name")
	codec.WriteString(v.Name, e)
	e.Name("level")
	writeLevel(v.Level, e)
	e.Name("sizes")
	codec.WriteList(v.Sizes, e, codec.Between(1, 9).WriteInt)
	if v.Note != nil {
		e.Name("note")
		codec.WriteString(*v.Note, e)
	}
	if v.Named != nil {
		e.Name("named")
		codec.WriteMap(v.Named, e, part.EncodeJSON)
	}
	e.End()
}

func readParts(v *[]part, d *codec.Decoder) { codec.ReadList(v, d, (*part).DecodeJSON) }
func writeParts(v []part, e *codec.Encoder) { codec.WriteList(v, e, part.EncodeJSON) }

func TestDecodingErrors(t *testing.T) {
	long := strings.Repeat("é", 100)
	for name, c := range map[string]struct{ in, want string }{
		"an empty document":              {"", `the document is empty`},
		"only white space":               {" \n", `the document is empty`},
		"a document cut short":           {`[{"name":"a"`, `[0]: the document is cut short`},
		"a document cut within a string": {`[{"name":"a`, `[0].name: the document is cut short`},
		"data after the document":        {`[] 1`, `data after the end of the document`},
		"garbage after the document":     {`[] x`, `data after the end of the document`},
		"no value":                       {`[{"note":}]`, `[0].note: no valid JSON: invalid character '}' at start of value, at byte 9`},
		"no name": {`[{"name":"a",}]`,
			`[0]: no valid JSON: invalid character '}' at start of object name (expecting '"'), at byte 13`},
		"no colon": {`[{"name":"a", "level" "low"}]`,
			`[0]: no valid JSON: invalid character '"' after object name (expecting ':'), at byte 22`},
		"no comma in an object": {`[{"name":"a" "level":"low"}]`,
			`[0]: no valid JSON: invalid character '"' after object value (expecting ',' or '}'), at byte 13`},
		"no comma in a list": {`[{"sizes":[1 2]}]`,
			`[0].sizes[0]: no valid JSON: invalid character '2' after list element (expecting ',' or ']'), at byte 13`},
		"no number": {`[{"sizes":[1,-.5]}]`,
			`[0].sizes[1]: no valid JSON: invalid character '.' in number (expecting digit), at byte 14`},
		"a number that begins with 0": {`[{"sizes":[01]}]`,
			`[0].sizes[0]: no valid JSON: invalid character '1' in number (expecting no digit after 0), at byte 12`},
		"a number without decimals": {`[{"sizes":[0.]}]`,
			`[0].sizes[0]: no valid JSON: invalid character ']' in number (expecting digit), at byte 13`},
		"a number without an exponent": {`[{"sizes":[1.5e+]}]`,
			`[0].sizes[0]: no valid JSON: invalid character ']' in number (expecting digit), at byte 16`},
		"a number cut short": {`[{"sizes":[-`, `[0].sizes[0]: the document is cut short`},
		"a line break in a string": {"[{\"name\":\"a\n\"}]",
			`[0].name: no valid JSON: invalid character '\n' in string (expecting no control character), at byte 11`},
		"no escape sequence":                 {`[{"name":"a\x"}]`, `[0].name: no valid JSON: invalid escape sequence "\\x" in string, at byte 11`},
		"an escape sequence of three digits": {`[{"name":"\u123"}]`, `[0].name: no valid JSON: invalid escape sequence "\\u123\"" in string, at byte 10`},
		"half of a surrogate pair":           {`[{"name":"\ud83dx"}]`, `[0].name: no valid JSON: half of a surrogate pair \ud83d in string, at byte 10`},
		"an escape sequence cut short":       {`[{"name":"\u12`, `[0].name: the document is cut short`},
		"no JSON":                            {`[nope]`, `[0]: no valid JSON: invalid character 'o' in literal null (expecting 'u'), at byte 2`},
		"bytes that are not UTF-8":           {"[{\"name\":\"\xff\"}]", `[0].name: no valid JSON: invalid UTF-8, at byte 10`},
		"another kind":                       {`{"name":"a"}`, `expected a list, found an object`},
		"null for an element":                {`[null]`, `[0]: expected an object, found null`},
		"null for a string":                  {`[{"name":null}]`, `[0].name: expected a string, found null`},
		"null for a list":                    {`[{"sizes":null}]`, `[0].sizes: expected a list, found null`},
		"a list for a string":                {`[{"name":["a"]}]`, `[0].name: expected a string, found a list`},
		"a number for an enum":               {`[{"level":1}]`, `[0].level: expected a string, one of low, high, found a number`},
		"a list for a map":                   {`[{"named":[]}]`, `[0].named: expected an object, found a list`},
		"a value the enum lacks":             {`[{"level":"mid"}]`, `[0].level: "mid" is no value of Level: want one of low, high`},
		"a long value the enum lacks":        {`[{"level":"` + long + `"}]`, `[0].level: "` + long[:60] + `"… is no value of Level: want one of low, high`},
		"a missing field":                    {`[{"name":"a","level":"low"},{"name":"a"}]`, `[1]: missing field "level" of Part`},
		"the first of two missing fields":    {`[{}]`, `[0]: missing field "name" of Part`},
		"an unknown field":                   {`[{"nam":"a"}]`, `[0]: unknown field "nam" of Part`},
		"a field in other letters":           {`[{"Name":"a"}]`, `[0]: unknown field "Name" of Part`},
		"a field given twice":                {`[{"name":"a","name":"b"}]`, `[0]: duplicate key "name"`},
		"a field given twice, once escaped":  {`[{"name":"a","n\u0061me":"b"}]`, `[0]: duplicate key "name"`},
		"a key given twice":                  {`[{"named":{"x":{"name":"a","level":"low"},"x":{}}}]`, `[0].named: duplicate key "x"`},
		"a number out of bounds in a list":   {`[{"sizes":[1,2,10]}]`, `[0].sizes[2]: 10 is not between 1 and 9`},
		"a place behind a key like an index": {`[{"named":{"3":{"name":1}}}]`, `[0].named.3.name: expected a string, found a number`},
		"a place behind a key with a dot":    {`[{"named":{"a.b":{"name":1}}}]`, `[0].named["a.b"].name: expected a string, found a number`},
		"a place behind an empty key":        {`[{"named":{"":{"name":1}}}]`, `[0].named[""].name: expected a string, found a number`},
		"a place behind a key with a slash":  {`[{"named":{"a/b~c":{"name":1}}}]`, `[0].named["a/b~c"].name: expected a string, found a number`},
	} {
		t.Run(name, func(t *testing.T) {
			v := value[[]part]{read: readParts}
			err := codec.Unmarshal([]byte(c.in), &v)
			if err == nil {
				t.Fatalf("no error; want %s", c.want)
			}
			if err.Error() != c.want {
				t.Errorf("error:\n%s\nwant:\n%s", err, c.want)
			}
			if _, ok := errors.AsType[*codec.Error](err); !ok {
				t.Errorf("%T is no *codec.Error", err)
			}
		})
	}
}

func TestNumbersAreReadExactly(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want int
		err  string
	}{
		"a plain integer":                    {in: "42", want: 42},
		"minus zero":                         {in: "-0", want: 0},
		"the greatest":                       {in: "9223372036854775807", want: math.MaxInt},
		"the least":                          {in: "-9223372036854775808", want: math.MinInt},
		"a fraction of zeros":                {in: "5.00", want: 5},
		"an exponent":                        {in: "1e2", want: 100},
		"an exponent with a plus":            {in: "12E+1", want: 120},
		"an exponent that moves the point":   {in: "1.50e1", want: 15},
		"a negative exponent":                {in: "1500e-2", want: 15},
		"zero with a great exponent":         {in: "0e999999999999999999999", want: 0},
		"zero with a fraction":               {in: "-0.000", want: 0},
		"more digits than a float holds":     {in: "9007199254740993.0", want: 9007199254740993},
		"zeros behind the point":             {in: "0.00012e5", want: 12},
		"one too many":                       {in: "9223372036854775808", err: "9223372036854775808 is out of the range of an integer"},
		"one too few":                        {in: "-9223372036854775809", err: "-9223372036854775809 is out of the range of an integer"},
		"a great exponent":                   {in: "1e99", err: "1e99 is out of the range of an integer"},
		"an exponent out of all proportions": {in: "1e999999999999999999999", err: "1e999999999999999999999 is out of the range of an integer"},
		"a fraction":                         {in: "1.5", err: "expected an integer, found 1.5"},
		"a fraction a float would lose":      {in: "0.99999999999999999999999", err: "expected an integer, found 0.99999999999999999999999"},
		"a fraction by its exponent":         {in: "15e-1", err: "expected an integer, found 15e-1"},
		"a vanishing number":                 {in: "1e-999999999999999999999", err: "expected an integer, found 1e-999999999999999999999"},
		"a number in a string":               {in: `"5"`, err: "expected an integer, found a string"},
		"true":                               {in: "true", err: "expected an integer, found true"},
	} {
		t.Run(name, func(t *testing.T) {
			v := value[int]{read: codec.ReadInt}
			err := codec.Unmarshal([]byte(c.in), &v)
			if got := text(err); got != c.err {
				t.Fatalf("error %q, want %q", got, c.err)
			}
			if v.v != c.want {
				t.Errorf("%s is %d, want %d", c.in, v.v, c.want)
			}
		})
	}
}

func TestBoundsAreInclusive(t *testing.T) {
	for name, c := range map[string]struct {
		bounds  codec.Range
		in, err string
	}{
		"the least":         {codec.Between(1, 5), "1", ""},
		"the greatest":      {codec.Between(1, 5), "5", ""},
		"below":             {codec.Between(1, 5), "0", "0 is not between 1 and 5"},
		"above":             {codec.Between(1, 5), "6", "6 is not between 1 and 5"},
		"below the least":   {codec.AtLeast(0.5), "0", "0 is less than 0.5"},
		"above a least":     {codec.AtLeast(0.5), "7", ""},
		"above the most":    {codec.AtMost(-1), "0", "0 is more than -1"},
		"below a greatest":  {codec.AtMost(-1), "-7", ""},
		"at an exact bound": {codec.AtMost(10), "10", ""},
	} {
		t.Run(name, func(t *testing.T) {
			i := value[int]{read: c.bounds.ReadInt, write: c.bounds.WriteInt}
			f := value[float64]{read: c.bounds.ReadFloat, write: c.bounds.WriteFloat}
			errs := map[string]error{
				"ReadInt": codec.Unmarshal([]byte(c.in), &i), "ReadFloat": codec.Unmarshal([]byte(c.in), &f),
			}
			if c.err == "" && (i.v != int(f.v) || i.v == 0) {
				t.Errorf("read %d and %g from %s", i.v, f.v, c.in)
			}
			codec.Unmarshal([]byte(c.in), &value[int]{read: func(v *int, d *codec.Decoder) {
				codec.ReadInt(v, d)
				i.v, f.v = *v, float64(*v)
			}})
			_, errs["WriteInt"] = codec.Marshal(i)
			_, errs["WriteFloat"] = codec.Marshal(f)
			for which, err := range errs {
				if text(err) != c.err {
					t.Errorf("%s: error %q, want %q", which, text(err), c.err)
				}
			}
		})
	}
}

func TestSortedRoundTrip(t *testing.T) {
	note := "see <b>"
	in := part{Name: "a\n\u2028", Level: 2, Note: &note, Named: map[string]part{
		"z": {Name: "z", Level: 1}, "a": {Name: "a", Level: 1, Sizes: []int{3, 1}},
	}}
	want := `{"name":"a\n` + "\u2028" + `","level":"high","sizes":[],"note":"see <b>","named":{` +
		`"a":{"name":"a","level":"low","sizes":[3,1]},"z":{"name":"z","level":"low","sizes":[]}}}`
	key, err := codec.Key(in)
	if err != nil || key != want {
		t.Fatalf("key:\n%s\n(error %v), want:\n%s", key, err, want)
	}
	var back part
	if err := codec.Unmarshal([]byte(key), &back); err != nil {
		t.Fatal(err)
	}
	if again, _ := codec.Key(back); again != want {
		t.Errorf("read and written again:\n%s", again)
	}
}

func TestEncodingErrors(t *testing.T) {
	good := part{Name: "a", Level: 1}
	list := func(v ...part) codec.Marshaler {
		return value[[]part]{v: v, write: writeParts}
	}
	levels := value[[]level]{v: []level{1, 0}, write: func(v []level, e *codec.Encoder) {
		codec.WriteList(v, e, writeLevel)
	}}
	float := func(f float64) codec.Marshaler { return value[float64]{v: f, write: codec.WriteFloat} }
	for name, c := range map[string]struct {
		in   codec.Marshaler
		want string
	}{
		"an enum that is not set":       {part{}, `level: Level is not set`},
		"an enum of an element not set": {list(good, part{}), `[1].level: Level is not set`},
		"an element that is not set":    {levels, `[1]: Level is not set`},
		"a number out of its bounds":    {list(part{Level: 1, Sizes: []int{10}}), `[0].sizes[0]: 10 is not between 1 and 9`},
		"an entry of a map":             {part{Level: 1, Named: map[string]part{"x": {}}}, `named.x.level: Level is not set`},
		"a string that is not UTF-8":    {list(good, part{Name: "\xff"}), `[1].name: the text is not valid UTF-8`},
		"a number that is none":         {float(math.NaN()), `NaN is no number in JSON`},
		"an infinite number":            {float(math.Inf(-1)), `-Inf is no number in JSON`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := codec.Marshal(c.in)
			if text(err) != c.want {
				t.Errorf("error:\n%s\nwant:\n%s", text(err), c.want)
			}
			if _, ok := errors.AsType[*codec.Error](err); !ok {
				t.Errorf("%T is no *codec.Error", err)
			}
		})
	}
}

func TestHostileNesting(t *testing.T) {
	deep := strings.Repeat("[", 1<<20)
	for _, in := range []string{deep, `{"name":` + deep, `{"else":` + deep, strings.Repeat(`{"named":{"a":`, 1<<18)} {
		if err := codec.Unmarshal([]byte(in), new(part)); err == nil {
			t.Errorf("%.20s…: no error", in)
		} else if len(err.Error()) > 200_000 {
			t.Errorf("%.20s…: an error of %d bytes", in, len(err.Error()))
		}
	}
}

// A wide struct has more members than the bits of a word.
type wide map[string]int

var wideJSON = func() (m codec.Members) {
	m.Type = "Wide"
	for i := range 150 {
		m.Names = append(m.Names, "f"+strconv.Itoa(i))
	}
	m.Optional = m.Names[140:]
	return m
}()

func (v *wide) DecodeJSON(d *codec.Decoder) {
	*v = wide{}
	for o := codec.ReadObject(d, &wideJSON); o.Next(); {
		var n int
		codec.ReadInt(&n, d)
		(*v)[o.Name] = n
	}
}

func TestStructMembers(t *testing.T) {
	document := func(names []string) string { return `{"` + strings.Join(names, `":1,"`) + `":1}` }
	backwards := slices.Clone(wideJSON.Names[:140])
	slices.Reverse(backwards)
	for name, c := range map[string]struct {
		names []string
		want  string
	}{
		"all in order":            {wideJSON.Names, ``},
		"what is required":        {wideJSON.Names[:140], ``},
		"backwards":               {backwards, ``},
		"the last required lacks": {wideJSON.Names[:139], `missing field "f139" of Wide`},
		"one in the middle lacks": {slices.Delete(slices.Clone(wideJSON.Names), 70, 71), `missing field "f70" of Wide`},
		"one of the last twice":   {append(slices.Clone(wideJSON.Names), "f141"), `duplicate key "f141"`},
		"one unknown":             {append(slices.Clone(wideJSON.Names), "f150"), `unknown field "f150" of Wide`},
	} {
		t.Run(name, func(t *testing.T) {
			var v wide
			err := codec.UnmarshalString(document(c.names), &v)
			if text(err) != c.want || err == nil && len(v) != len(c.names) {
				t.Errorf("%d members (error %v), want %d (error %s)", len(v), err, len(c.names), c.want)
			}
		})
	}
}

// The kernel's promise: programs made of generated code are free of reflection.
func TestNoReflection(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, forbidden := range []string{"reflect", "encoding/json", "fmt", "log/slog", "text/template", "net/http", "runtime/debug", "encoding/hex"} {
		if strings.Contains("\n"+string(out), "\n"+forbidden+"\n") {
			t.Errorf("it depends on %s", forbidden)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
