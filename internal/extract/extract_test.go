package extract_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/graphgen/graphgen/internal/extract"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A person is what answers are asked for.
type person struct {
	name string
	age  int
}

var personJSON = codec.Members{Type: "Person", Names: []string{"name", "age"}}

func (p *person) DecodeJSON(d *codec.Decoder) {
	*p = person{}
	for o := codec.ReadObject(d, &personJSON); o.Next(); {
		switch o.Name {
		case "name":
			codec.ReadString(&p.name, d)
		case "age":
			codec.ReadInt(&p.age, d)
		}
	}
}

const ann, bob = `{"name": "Ann", "age": 7}`, `{"name": "Bob", "age": 8}`

// fence puts a text into a fenced block.
func fence(language, text string) string { return "```" + language + "\n" + text + "\n```" }

func TestFindObject(t *testing.T) {
	for story, c := range map[string]struct{ answer, want string }{
		"it is all there is":                            {ann, ann},
		"white space is around it":                      {"\n\n  " + ann + "\r\n\t", ann},
		"a byte order mark is in front of it":           {"\ufeff" + ann, ann},
		"it is printed over several lines":              {"{\n  \"name\": \"Ann\",\n  \"age\": 7\n}\n", "{\n  \"name\": \"Ann\",\n  \"age\": 7\n}"},
		"a block of JSON":                               {fence("json", ann), ann},
		"a block without a language":                    {fence("", ann), ann},
		"a block in capitals with lines that end in CR": {"```JSON\r\n" + ann + "\r\n```\r\n", ann},
		"a block of another dialect":                    {fence("json5", ann), ann},
		"a block fenced with tildes":                    {"~~~json\n" + ann + "\n~~~", ann},
		"a block with a fence of four":                  {"````json\n" + ann + "\n````", ann},
		"a block between prose":                         {"Sure! Here it is:\n\n" + fence("json", ann) + "\n\nLet me know.", ann},
		"a block that prose runs into":                  {"Here it is: ```json\n" + ann + "\n```", ann},
		"a block on one line":                           {"```json " + ann + " ```", ann},
		"a block closed on its last line":               {"```json\n" + ann + "```", ann},
		"a block that is not closed":                    {"The answer:\n```json\n" + ann, ann},
		"a block in a list":                             {"1. The person:\n   " + fence("json", "   "+ann+"\n   "), ann},
		"a block that is quoted":                        {"> ```json\n" + ann + "\n> ```", ann},
		"a comment stands first in the block":           {fence("json", "// the person\n"+ann), ann},
		"a block of code comes before":                  {fence("go", "func f() { return }") + "\n" + fence("json", ann), ann},
		"the first block is something else":             {fence("json", `{"note": 1}`) + "\n" + fence("json", ann), ann},
		"the first block is cut short, and mended":      {fence("json", ann[:10]) + "\nAgain:\n" + fence("json", ann), ann},
		"the first block is not closed, and mended":     {"```json\n" + ann[:10] + "\n" + fence("json", ann), ann},
		"there are two: the first":                      {ann + "\n" + bob, ann},
		"two in prose: the first":                       {"Either " + ann + " or " + bob, ann},
		"a fence goes before prose":                     {"Not " + ann + " but\n" + fence("", bob), bob},
		"prose around it":                               {"Sure: " + ann + " I hope this helps.", ann},
		"prose behind it":                               {ann + "\n\nI hope this helps {really}.", ann},
		"brackets in prose":                             {"As in [1], {name} of {{template}} is {not set}: " + ann, ann},
		"a check list before it":                        {"- [ ] think\n- [x] answer\n" + ann, ann},
		"a list in prose":                               {"Of [1, 2, 3] I take " + ann, ann},
		"a quote with a bracket in prose":               {`Begin with "{" and end with "}": ` + ann, ann},
		"a schema that is repeated first":               {`It has {"type": "object", "properties": {}}. ` + ann, ann},
		"brackets in its texts":                         {`So: {"name": "}{][", "age": 1}!`, `{"name": "}{][", "age": 1}`},
		"quotes and backslashes in its texts":           {`So: {"name": "\"}\\", "age": 1}!`, `{"name": "\"}\\", "age": 1}`},
		"a fence in its texts":                          {"So: {\"name\": \"```go\\nx\\n```\", \"age\": 1}!", "{\"name\": \"```go\\nx\\n```\", \"age\": 1}"},
		"a fenced text with a fence in it": {fence("json", "{\"name\": \"```go\\nx\\n```\",\n\"age\": 1}"),
			"{\"name\": \"```go\\nx\\n```\",\n\"age\": 1}"},
		"thoughts before it":                        {"<think>\nMaybe " + bob + "?\n</think>\n\n" + ann, ann},
		"thoughts whose beginning the server keeps": {"Maybe " + bob + "?\n</think>\n" + ann, ann},
		"a tag around it":                           {"<answer>" + ann + "</answer>", ann},
		"emphasis around it":                        {"**" + ann + "**", ann},
		"back quotes around it":                     {"`" + ann + "`", ann},
		"invalid UTF-8 in prose":                    {"\xff\xc3 " + ann + "\xfe", ann},
	} {
		t.Run(story, func(t *testing.T) {
			var got string
			err := extract.JSON(c.answer, extract.Object, func(json string) error {
				got = json
				return codec.UnmarshalString(json, &person{})
			})
			if err != nil || got != c.want {
				t.Errorf("got %q (error %v), want %q", got, err, c.want)
			}
		})
	}
}

func TestOtherKindsAreFoundToo(t *testing.T) {
	for story, c := range map[string]struct {
		want           extract.Kind
		answer, result string
	}{
		"a list":                              {extract.List, "[1, 2]", "[1, 2]"},
		"a list in prose with objects":        {extract.List, `Of {"a": [3]} it is [[1], [2]].`, "[[1], [2]]"},
		"an empty list":                       {extract.List, "There are none: []", "[]"},
		"an empty list in a block":            {extract.List, fence("", "[ ]"), "[ ]"},
		"a list, not an open box":             {extract.List, "- [ ] work\n[1]", "[1]"},
		"a list of words":                     {extract.List, "they are [true, null]", "[true, null]"},
		"whichever comes first":               {extract.Object | extract.List, "so [1] or {}", "[1]"},
		"a number":                            {extract.Number, " 42\n", "42"},
		"a number at the end of a sentence":   {extract.Number, "The answer is 42.", "42"},
		"a number in bold, said twice":        {extract.Number, "I count **-1.5e3**, so -1.5e3.", "-1.5e3"},
		"a number in a block":                 {extract.Number, "It is 6 times 7:\n" + fence("", "42"), "42"},
		"a bool":                              {extract.Bool, "This is true: it is so.", "true"},
		"a text":                              {extract.Text, `"bug"`, `"bug"`},
		"a text in prose":                     {extract.Text, `I would call it "a \"bug\"", for sure.`, `"a \"bug\""`},
		"an object that may be null":          {extract.Object | extract.Null, "null", "null"},
		"an object that may be null, in fact": {extract.Object | extract.Null, "It is not null: {}", "{}"},
	} {
		t.Run(story, func(t *testing.T) {
			var got jsontext.Value
			err := extract.JSON(c.answer, c.want, func(json string) error {
				return codec.UnmarshalString(json, codec.Into(&got, codec.ReadAny))
			})
			if err != nil || string(got) != c.result {
				t.Errorf("got %q (error %v), want %q", got, err, c.result)
			}
		})
	}
}

func TestErrorText(t *testing.T) {
	for story, c := range map[string]struct {
		want   extract.Kind
		answer string
		says   string
	}{
		"nothing is there": {extract.Object, " \n", `the answer is empty, want a JSON object`},
		"there is no object": {extract.Object, "I am sorry, Dave. I can not do that: it is against all my rules.",
			`the answer holds no value to read, want a JSON object; it begins "I am sorry, Dave. I can not do that: it is against all my ru"`},
		"there is neither": {extract.Object | extract.List, "ä",
			`the answer holds no value to read, want a JSON object or a JSON list; it begins "ä"`},
		"it does not fit":               {extract.Object, ann[:14] + "}", `missing field "age" of Person`},
		"it does not fit, within prose": {extract.Object, "So {x} is " + `{"name": 1, "age": 7}`, `name: expected a string, found a number`},
		"it is cut short":               {extract.Object, ann[:23], `age: the document is cut short, after "{\"name\": \"Ann\", \"age\":"`},
		"it is cut short in prose": {extract.Object, "So: " + ann[:23],
			`age: the document is cut short, after "So: {\"name\": \"Ann\", \"age\":"`},
		"it is hardly begun":                {extract.Object, `So: {"nam`, `the document is cut short, after "So: {\"nam"`},
		"a list of them":                    {extract.Object, "[" + ann + "]", `expected an object, found a list`},
		"a list of them in prose":           {extract.Object, "So: [" + ann + "].", `expected an object, found a list`},
		"an object with a list":             {extract.List, `{"items": [1]}`, `expected a list, found an object`},
		"what is inside of it is no answer": {extract.Object, `{"person": ` + ann + `, "x": `, `unknown field "person" of Person`},
		"a comma too many": {extract.Object, `{"name": "Ann", "age": 7,}`,
			`no valid JSON: invalid character '}' at start of object name (expecting '"'), at byte 25, after "{\"name\": \"Ann\", \"age\": 7,"`},
		"JavaScript": {extract.Object, `It is {first: 'Ann', "friend": ` + ann + `}.`,
			`no valid JSON: invalid character 'f' at start of object name (expecting '"'), at byte 1, after "It is {"`},
		"Python": {extract.Object, `It is {'name': None}`,
			`no valid JSON: invalid character '\'' at start of object name (expecting '"'), at byte 1, after "It is {"`},
		"quotes that are not escaped": {extract.Object, `{"name": "Ann "the best"", "age": 7}`,
			`no valid JSON: invalid character 't' after object value (expecting ',' or '}'), at byte 15, after "{\"name\": \"Ann \""`},
		"a key twice": {extract.Object, `{"name": "Ann", "name": "Ann", "age": 7}`,
			`duplicate key "name", after "{\"name\": \"Ann\", "`},
		"the error of what is JSON comes first": {extract.Object, `{"name": x} and {"name": 1, "age": 2} and {"age": 1}`,
			`name: expected a string, found a number`},
		"or of what is JSON for longest": {extract.Object, `So {"name" x} and {"name": "x", "age": y}.`,
			`age: no valid JSON: invalid character 'y' at start of value, at byte 21, after "So {\"name\" x} and {\"name\": \"x\", \"age\": "`},
		"deep nesting": {extract.Object, strings.Repeat(`{"name":`, 1000), `name: expected a string, found an object`},
		"two different numbers are none": {extract.Number, "it is between 3 and 4",
			`no valid JSON: invalid character 'i' at start of value, at byte 0`},
		"a range is no number":         {extract.Number, "it is 3-4", `no valid JSON: invalid character 'i' at start of value, at byte 0`},
		"two different bools are none": {extract.Bool, "true or false?", `data after the end of the document, after "true "`},
		"only as many as are tried are looked at": {extract.Object, strings.Repeat(`{"name": 1} `, extract.MaxCandidates) + ann,
			`name: expected a string, found a number`},
	} {
		t.Run(story, func(t *testing.T) {
			err := extract.JSON(c.answer, c.want, func(json string) error {
				if c.want == extract.Object {
					return codec.UnmarshalString(json, &person{})
				}
				var list []bool
				if c.want == extract.List {
					return codec.UnmarshalString(json, codec.Into(&list, func(v *[]bool, d *codec.Decoder) { codec.ReadList(v, d, codec.ReadBool) }))
				}
				return codec.UnmarshalString(json, codec.Into(new(jsontext.Value), codec.ReadAny))
			})
			if err == nil || err.Error() != c.says {
				t.Errorf("got %v\nwant %s", err, c.says)
			}
		})
	}
}

func TestAnyJSON(t *testing.T) {
	for story, c := range map[string]struct {
		want         extract.Kind
		answer, json string
	}{
		"clean":                     {extract.Object, ann, ann},
		"with prose behind it":      {extract.Object, ann + " and " + bob, ann},
		"in prose":                  {extract.Object | extract.List, "It is " + ann + ", or [1].", ann},
		"no JSON":                   {extract.Object, "It is {x}.", ""},
		"cut short":                 {extract.Object, ann[:20], ""},
		"a list is no object":       {extract.Object, "[" + ann + "]", ""},
		"nor is one in prose":       {extract.Object, "So: [" + ann + "]", ""},
		"a number":                  {extract.Number | extract.Bool | extract.Null | extract.Text, "12", "12"},
		"a bool is no number":       {extract.Number, "true", ""},
		"a number in quotes":        {extract.Number, `"12"`, "12"},
		"nothing is nothing either": {extract.Object, "", ""},
	} {
		if json, found := extract.Find(c.answer, c.want); json != c.json || found != (json != "") {
			t.Errorf("%s: got %q, %t, want %q", story, json, found, c.json)
		}
	}
}

func TestAnswerLimit(t *testing.T) {
	err := extract.JSON(strings.Repeat(" ", extract.MaxSize+1), extract.Object, func(string) error { return nil })
	if wrong, ok := errors.AsType[*extract.Error](err); !ok || wrong.Error() != "the answer is longer than 67108864 bytes" {
		t.Errorf("got %v", err)
	}
}

// A search that were not linear would not come to an end with these.
func TestHostileTexts(t *testing.T) {
	const size = 1 << 20
	for story, piece := range map[string]string{
		"opening braces":                 "{",
		"opening brackets":               "[",
		"brackets of both kinds":         "[{",
		"members that never end":         `{"a":`,
		"members that might begin":       `{"`,
		"names that might end":           `{"a" `,
		"names without quotes":           "{a ",
		"spaces behind brackets":         "{    [   ",
		"escapes":                        `{"\`,
		"fences":                         "```",
		"fences in lines of their own":   "```\n",
		"fences that open":               "```json\n",
		"fences that open objects":       "```json\n{\n",
		"fences in one line":             "x```a ~~~b ",
		"values that do not fit":         `{"a":1} `,
		"values of another kind":         `[1] `,
		"values in blocks":               "```\n{\"a\":[\n```\n",
		"numbers":                        "1 ",
		"quotes":                         `"`,
		"texts":                          `"a" `,
		"ends of thoughts":               "</think>",
		"white space":                    " \n",
		"bytes that are no characters":   "\xff",
		"quoted lines":                   ">>>> ",
		"punctuation of numbers":         "1.,",
		"one word":                       "a",
		"keys that are given many times": `{"a":1,"a":1}`,
	} {
		t.Run(story, func(t *testing.T) {
			text := strings.Repeat(piece, size/len(piece))
			for _, want := range []extract.Kind{extract.Object, extract.List, extract.Object | extract.List | extract.Text | extract.Number} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_ = extract.JSON(text, want, func(json string) error { return codec.UnmarshalString(json, &person{}) })
				runtime.ReadMemStats(&after)
				if spent := after.TotalAlloc - before.TotalAlloc; spent > 16*size {
					t.Errorf("kind %s: %d bytes of memory for a text of %d", want, spent, size)
				}
			}
		})
	}
}

func TestCleanJSONCostsNoAllocation(t *testing.T) {
	for story, text := range map[string]string{"clean": ann, "in a block": "So:\n" + fence("json", ann), "in prose": "It is " + ann + "."} {
		var got string
		if n := testing.AllocsPerRun(100, func() {
			_ = extract.JSON(text, extract.Object, func(json string) error { got = json; return nil })
		}); n > 0 || got != ann {
			t.Errorf("%s: %v allocations, got %q", story, n, got)
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	long := `{"name": "` + strings.Repeat("a long text of many words, ", 400) + `", "age": 7}`
	for _, c := range []struct{ name, text string }{
		{"clean", ann}, {"fenced", "Sure!\n\n" + fence("json", ann)}, {"prose", "Sure: " + ann + " I hope this helps."},
		{"long clean", long}, {"long fenced", fence("json", long)}, {"long prose", "Sure: " + long + "."},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				if err := extract.JSON(c.text, extract.Object, func(string) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
