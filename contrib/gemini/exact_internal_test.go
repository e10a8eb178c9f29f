package gemini

import (
	"runtime"
	"strings"
	"testing"
)

func TestExactArguments(t *testing.T) {
	call := func(args string) string {
		return `{"candidates":[{"content":{"parts":[{"text":"a"},{"functionCall":{"name":"f","args":` + args + `}}]}}]}`
	}
	for name, c := range map[string]struct{ answer, want, why string }{
		"arguments of a call":       {call(`{"n":1.0}`), call(`{"json":"{\"n\":1.0}"}`), ""},
		"arguments of another name": {call(`{"args":{"args":1}}`), call(`{"json":"{\"args\":{\"args\":1}}"}`), ""},
		"arguments elsewhere":       {`{"args":{"a":1},"candidates":[{"args":{}}]}`, `{"args":{"a":1},"candidates":[{"args":{}}]}`, ""},
		"the same depth, another way": {
			`{"candidates":[{"content":{"parts":[{"other":{"args":{}}}]}}]}`, `{"candidates":[{"content":{"parts":[{"other":{"args":{}}}]}}]}`, "",
		},
		"a value that is called args": {`{"candidates":["args",{"a":"args"}]}`, `{"candidates":["args",{"a":"args"}]}`, ""},
		"why the first ended": {`{"candidates":[{"finishMessage":"a"},{"finishMessage":"b"}]}`,
			`{"candidates":[{"finishMessage":"a"},{"finishMessage":"b"}]}`, "a"},
		"why the second ended": {`{"candidates":[1,{"finishMessage":"b"}]}`, `{"candidates":[1,{"finishMessage":"b"}]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, why, err := exactArguments([]byte(c.answer))
			if string(got) != c.want || why != c.why || err != nil {
				t.Errorf("got %s, %q, %v, want %s, %q", got, why, err, c.want, c.why)
			}
		})
	}
}

// A name may have megabytes. What it costs to find arguments must not grow with it at each step.
func TestArgumentsOfLongName(t *testing.T) {
	const calls = 20_000
	answer := `{"candidates":[{"` + strings.Repeat("n", 1<<20) + `":{"parts":[{"functionCall":{` +
		strings.Repeat(`"args":{},`, calls) + `"args":{}}}]}}]}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if got, _, err := exactArguments([]byte(answer)); string(got) != answer || err != nil {
		t.Fatalf("got %.100s, %v", got, err)
	}
	runtime.ReadMemStats(&after)
	if n, most := after.TotalAlloc-before.TotalAlloc, uint64(50*len(answer)); n > most {
		t.Errorf("%d bytes are allocated, want at most %d", n, most)
	}
}
