package codec

import (
	"errors"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/graphgen/graphgen/runtime/codec"
)

// small is a Finding with every required field and nothing else.
const small = `{"severity":"low","message":"m","confidence":0.5,"score":3,"also":[],"tags":[],"matrix":[],` +
	`"counts":{},"by_file":{},"votes":[],"resolved":false,"kind":"bug"}`

// full is a Finding with everything.
const full = `{"severity":"high-risk","message":"über\n\"it\"","confidence":1,"score":5,"rank":-2,` +
	`"place":{"file":"a.go","line":7},"also":[{"file":"b.go","line":1}],"tags":["x","y"],` +
	`"matrix":[[1,2.5],[]],"counts":{"a":1,"b":-2},"by_file":{"z.go":[{"file":"z.go","line":3}]},` +
	`"votes":[true,null,false],"alternatives":["low","medium"],"resolved":true,"kind":"smell"}`

func TestRoundTrip(t *testing.T) {
	for name, c := range map[string]struct {
		in codec.Unmarshaler
		at string
	}{
		"an enum":                              {new(Severity), `"medium"`},
		"a struct":                             {new(Place), `{"file":"","line":1}`},
		"a struct with everything":             {new(Finding), full},
		"a struct without its optional fields": {new(Finding), small},
		"a struct of optional fields only":     {new(Nothing), `{}`},
		"a node's output":                      {new(SurveyWrapUpOut), `{"text":"t","mood":"bad"}`},
		"what a node writes":                   {new(SurveyJudgeOut), `{"worst":"low","rating":1}`},
		"an input":                             {new(SurveyInput), `{"topic":"t","where":{"file":"f","line":2}}`},
		"a state at its start":                 {new(SurveyState), `{"topic":"","findings":[]}`},
		"a state that has filled up": {new(SurveyState), `{"topic":"t","findings":[` + small + `],"worst":"low","first":` + full +
			`,"where":{"file":"f","line":2},"rating":7,"summary":"","stage":"closed"}`},
		"an output":           {new(SurveyOutput), `{"findings":[],"rating":4}`},
		"an output cut short": {new(SurveyOutput), `{"findings":[],"max_steps_reached":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			if err := codec.Unmarshal([]byte(c.at), c.in); err != nil {
				t.Fatal(err)
			}
			got, err := codec.Marshal(c.in.(codec.Marshaler))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.at {
				t.Errorf("written:\n%s\nwant:\n%s", got, c.at)
			}
		})
	}
}

// with returns the small Finding with a part of its text replaced.
func with(old, put string) string {
	if !strings.Contains(small, old) {
		panic(old)
	}
	return strings.Replace(small, old, put, 1)
}

func TestBadDocument(t *testing.T) {
	for name, c := range map[string]struct {
		into     codec.Unmarshaler
		in, want string
	}{
		"a value the enum lacks": {new(Severity), `"hi"`, `"hi" is no value of Severity: want one of low, medium, high-risk`},
		"an enum in capitals":    {new(Severity), `"Low"`, `"Low" is no value of Severity: want one of low, medium, high-risk`},
		"an enum left empty":     {new(Severity), `""`, `"" is no value of Severity: want one of low, medium, high-risk`},
		"null for an enum":       {new(Severity), `null`, `expected a string, one of low, medium, high-risk, found null`},
		"null for a struct":      {new(Place), `null`, `expected an object, found null`},
		"a field missing":        {new(Finding), with(`"score":3,`, ``), `missing field "score" of Finding`},
		"a field unknown":        {new(Finding), with(`"score":3`, `"score":3,"scores":3`), `unknown field "scores" of Finding`},
		"a field twice":          {new(Finding), with(`"score":3`, `"score":3,"score":3`), `duplicate key "score"`},
		"a key twice":            {new(Finding), with(`"counts":{}`, `"counts":{"a":1,"a":1}`), `counts: duplicate key "a"`},
		"a number too great":     {new(Finding), with(`"score":3`, `"score":6`), `score: 6 is not between 1 and 5`},
		"a share above one":      {new(Finding), with(`0.5`, `1.01`), `confidence: 1.01 is not between 0 and 1`},
		"an optional too great":  {new(Finding), with(`"score":3`, `"score":3,"rank":10`), `rank: 10 is more than 9`},
		"a fraction":             {new(Finding), with(`"score":3`, `"score":3.2`), `score: expected an integer, found 3.2`},
		"null for a list":        {new(Finding), with(`"tags":[]`, `"tags":null`), `tags: expected a list, found null`},
		"null in a list":         {new(Finding), with(`"tags":[]`, `"tags":["a",null]`), `tags[1]: expected a string, found null`},
		"a bad element deep inside": {new(SurveyState),
			`{"findings":[` + small + `,` + with(`"by_file":{}`, `"by_file":{"a.go":[{"file":"f","line":0}]}`) + `]}`,
			`findings[1].by_file["a.go"][0].line: 0 is less than 1`},
		"an unknown field deep inside": {new(SurveyState), `{"first":` + with(`"also":[]`, `"also":[{"file":"f","line":1,"col":2}]`) + `}`,
			`first.also[0]: unknown field "col" of Place`},
		"an unknown field of the state": {new(SurveyState), `{"topics":"a"}`, `unknown field "topics" of SurveyState`},
		"an input without its topic":    {new(SurveyInput), `{"where":{"file":"f","line":2}}`, `missing field "topic" of SurveyInput`},
		"two documents":                 {new(Place), `{"file":"f","line":2}{}`, `data after the end of the document`},
	} {
		t.Run(name, func(t *testing.T) {
			err := codec.Unmarshal([]byte(c.in), c.into)
			if err == nil || err.Error() != c.want {
				t.Errorf("error:\n%v\nwant:\n%s", err, c.want)
			}
		})
	}
}

func TestReadOntoState(t *testing.T) {
	summary := "so far"
	s := SurveyState{Topic: "t", Worst: SeverityLow, Summary: &summary, Findings: []Finding{{Message: "m"}}}
	want := s
	want.Worst, want.Stage = SeverityHighRisk, SurveyStageOpen
	if err := codec.Unmarshal([]byte(`{"worst":"high-risk","stage":"open"}`), &s); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("state %+v, want %+v", s, want)
	}
	if err := codec.Unmarshal([]byte(`{"summary":null}`), &s); err != nil || s.Summary != nil {
		t.Errorf("null leaves the summary %v (error %v)", s.Summary, err)
	}
}

func TestReadResetsStruct(t *testing.T) {
	rank := 1
	f := Finding{Rank: &rank}
	if err := codec.Unmarshal([]byte(small), &f); err != nil || f.Rank != nil {
		t.Errorf("rank %v (error %v), want none", f.Rank, err)
	}
}

func TestUnreadableIsNotWritten(t *testing.T) {
	var good Finding
	if err := codec.Unmarshal([]byte(small), &good); err != nil {
		t.Fatal(err)
	}
	high := good
	high.Score = 6
	for name, c := range map[string]struct {
		in   codec.Marshaler
		want string
	}{
		"an enum that is not set":     {Severity(0), `Severity is not set`},
		"an enum out of its values":   {Severity(9), `Severity is not set`},
		"a field that is not set":     {SurveyJudgeOut{}, `worst: Severity is not set`},
		"a number out of bounds":      {SurveyState{Findings: []Finding{good, high}}, `findings[1].score: 6 is not between 1 and 5`},
		"a struct that is half set":   {SurveyState{First: Finding{Message: "m"}}, `first.severity: Severity is not set`},
		"a state beyond its bounds":   {SurveyState{Rating: 11}, `rating: 11 is not between 1 and 10`},
		"a struct that must be there": {SurveyInput{}, `where.line: 0 is less than 1`},
		"a string that is not UTF-8":  {SurveyState{Topic: "a\xff"}, `topic: the text is not valid UTF-8`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := codec.Marshal(c.in)
			if err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestKeys(t *testing.T) {
	key := func(in SurveyInspectIn) string {
		k, err := codec.Key(in)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	base := SurveyInspectIn{Topic: "t", Worst: SeverityLow}
	if key(base) != key(SurveyInspectIn{Topic: "t", Worst: SeverityLow}) {
		t.Error("equal inputs have other keys")
	}
	for _, other := range []SurveyInspectIn{
		{}, {Topic: "t"}, {Topic: "t", Worst: SeverityMedium}, {Topic: "t", Worst: SeverityLow, Rating: 1},
		{Topic: "t", Worst: SeverityLow, Where: Place{File: "f", Line: 1}},
	} {
		if key(base) == key(other) {
			t.Errorf("%+v has the key of %+v", other, base)
		}
	}
}

func TestEncodingJSONv2(t *testing.T) {
	in := map[string][]Finding{"a": {{}}}
	if err := codec.Unmarshal([]byte(full), &in["a"][0]); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(in)
	if err != nil || string(data) != `{"a":[`+full+`]}` {
		t.Fatalf("written %s (error %v)", data, err)
	}
	var back map[string][]Finding
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, in) {
		t.Errorf("read back %+v (error %v)", back, err)
	}
	var levels map[string]*Severity
	if err := json.Unmarshal([]byte(`{"x":"low","y":null}`), &levels); err != nil || *levels["x"] != SeverityLow || levels["y"] != nil {
		t.Errorf("enums %v (error %v)", levels, err)
	}
	bad := strings.Replace(string(data), `"line":7`, `"line":-7`, 1)
	err = json.Unmarshal([]byte(bad), &back)
	if e, ok := errors.AsType[*codec.Error](err); !ok || e.Error() != "a[0].place.line: -7 is less than 1" {
		t.Errorf("error %v, want a *codec.Error about a[0].place.line", err)
	}
}

func TestEnumString(t *testing.T) {
	if got := SeverityHighRisk.String(); got != "high-risk" {
		t.Errorf("SeverityHighRisk prints %q", got)
	}
	if got := Severity(0).String() + Severity(200).String(); got != "" {
		t.Errorf("values that are none print %q", got)
	}
}

func TestCodecsWithoutReflection(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, forbidden := range []string{"reflect", "encoding/json", "fmt", "log/slog", "text/template", "net/http", "runtime/debug", "encoding/hex"} {
		if strings.Contains("\n"+string(out), "\n"+forbidden+"\n") {
			t.Errorf("the package depends on %s", forbidden)
		}
	}
}

func FuzzDecoding(f *testing.F) {
	f.Add([]byte(`{"topic":"t","findings":[` + small + `],"first":` + full + `}`))
	f.Add([]byte(`{"findings":[` + full + `],"rating":1e0,"summary":null}`))
	f.Add([]byte(`{"stage":"open","worst":"lo\u0077","where":{"line":1.0,"file":"\ud83d\ude00"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v, back SurveyState
		if err := codec.Unmarshal(data, &v); err != nil {
			if _, ok := errors.AsType[*codec.Error](err); !ok {
				t.Fatalf("%T is no *codec.Error: %v", err, err)
			}
			return
		}
		written, err := codec.Marshal(v)
		if err != nil {
			t.Fatalf("read, but not written: %v", err)
		}
		if err := codec.Unmarshal(written, &back); err != nil {
			t.Fatalf("written, but not read: %v", err)
		}
		again, err := codec.Key(back)
		if err != nil || again != string(written) {
			t.Fatalf("written:\n%s\nthen:\n%s", written, again)
		}
	})
}
