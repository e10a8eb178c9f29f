package record_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat/record"
)

// Whatever can be opened can be played, and the recording of that can be opened too.
func FuzzARecordingThatIsReadCanBePlayed(f *testing.F) {
	f.Add(libraryFile)
	lines := strings.SplitAfter(libraryFile, "\n")
	f.Add(lines[0] + `{"kind":"end","calls":0}`)
	f.Add(lines[0] + `{"kind":"settings","n":1,"temperature":-0,"choice":{"mode":"named","name":"f"},"output":{"json":"{}"}}
{"kind":"message","n":1,"message":{"role":"user","text_base64":"/w==","media":[{"data":"eA=="}]}}
{"kind":"model","n":1,"settings":1,"messages":1,"deltas":[],"error":{"type":"transport","cause":{"type":"deadline"}}}
{"kind":"tools","n":2,"tools":[{"name":"f"}]}
{"kind":"tool","n":3,"by":"x","name":"f","arguments_base64":"/w==","error":{"type":"panic"}}
{"kind":"end","calls":3}`)
	f.Fuzz(func(t *testing.T, file string) {
		p, err := record.Open([]byte(file))
		if err != nil {
			return
		}
		var again strings.Builder
		r := record.New(&again)
		record.Replay(p, r)
		if err := p.Done(); err != nil {
			t.Fatalf("%v\n%s", err, file)
		}
		if err := r.Close(); err != nil {
			t.Fatalf("%v\n%s", err, file)
		}
		q, err := record.Open([]byte(again.String()))
		if err != nil {
			t.Fatalf("%v\n%s\nmade of\n%s", err, &again, file)
		}
		var third strings.Builder
		s := record.New(&third)
		record.Replay(q, s)
		if err := s.Close(); err != nil || third.String() != again.String() {
			t.Fatalf("got\n%s\nwant\n%s", &third, &again)
		}
	})
}
