package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

var update = flag.Bool("update", false, "write docs/reference/event.schema.json")

// TestEventWords holds that the schema of events has the words of the packages that make events.
func TestEventWords(t *testing.T) {
	var kinds, allRules, errors, ends []string
	for k := graphgen.RunStart; k <= graphgen.RunEnd; k++ {
		kinds = append(kinds, k.String())
	}
	for r := graphgen.RuleEntry; r <= graphgen.RuleBudget; r++ {
		allRules = append(allRules, r.String())
	}
	for k := chat.RateLimited; k <= chat.Malformed; k++ {
		errors = append(errors, k.String())
	}
	for k := chat.UnknownTool; k <= chat.CallDenied; k++ {
		errors = append(errors, k.String())
	}
	for r := graphgen.Completed; r <= graphgen.Paused; r++ {
		ends = append(ends, r.String())
	}
	for name, of := range map[string][2][]string{
		"kinds": {eventKinds, kinds}, "rules": {rules, allRules}, "kinds of errors": {errorKinds, errors}, "reasons": {reasons, ends},
	} {
		if !slices.Equal(of[0], of[1]) {
			t.Errorf("the %s are %q, want %q", name, of[0], of[1])
		}
	}
}

// TestEventSchema holds that docs/reference/event.schema.json is the schema of events of any graph, and that an event of every kind fits it.
func TestEventSchema(t *testing.T) {
	text, err := Events(nil)
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := json.Indent(&page, append(text, '\n'), "", "  "); err != nil {
		t.Fatal(err)
	}
	const file = "../../docs/reference/event.schema.json"
	if *update {
		if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if published, err := os.ReadFile(file); err != nil || !bytes.Equal(published, page.Bytes()) {
		t.Errorf("%v: the page is not the schema: run the test with -update", err)
	}
	schema, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	validate := func(event string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(event))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	lines, err := os.ReadFile("../../testdata/events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(lines)) {
		if err := validate(`{"live":` + strings.ToValidUTF8(line, "\ufffd") + `}`); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		n++
	}
	if n < len(eventKinds) {
		t.Errorf("there are %d events", n)
	}
	for _, wrong := range []string{`{}`, `{"live":{"kind":"route"},"reset":{}}`, `{"live":{}}`, `{"live":{"kind":"tokens"}}`,
		`{"live":{"kind":"token","more":1}}`, `{"step":{"seq":1}}`, `{"end":{"status":"over"}}`, `{"reset":{"seq":1}}`, `{"other":{}}`} {
		if validate(wrong) == nil {
			t.Errorf("the schema allows %s", wrong)
		}
	}
}
