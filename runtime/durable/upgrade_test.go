package durable

import (
	"testing"
	"time"

	"github.com/graphgen/graphgen/runtime/engine"
)

// The nodes in the IDs of requests have their names of this version, those of an inner graph its names; branches have
// the names that they had.
func TestRequests(t *testing.T) {
	inner := &Machine{Graph: &engine.Graph{Name: "inner"}}
	outer := &Machine{Graph: &engine.Graph{Name: "outer"}, Subs: map[string]func() *Machine{"within": func() *Machine { return inner }}}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct{ id, want string }{
		{"ask.1", "confirm.1"},
		{"ask.2.3", "confirm.2.3"},
		{"ask.1.before", "confirm.1.before"},
		{"send.1", "send.1"},
		{"ask/ask.1", "ask/confirm.1"},
		{"0/1/nested.1/ask.2.look.1", "0/1/within.1/question.2.look.1"},
		{"other.1/ask.1", "other.1/ask.1"},
	} {
		l := newLog(sealing{})
		l.verdicts[tt.id] = verdict{id: tt.id}
		l.open[tt.id] = openRequest{tt.id, at}
		u := &upgrade{log: l, names: map[string]map[string]string{
			"outer": {"ask": "confirm", "nested": "within"}, "inner": {"ask": "question"},
		}}
		u.requests(outer)
		if v, ok := l.verdicts[tt.want]; !ok || v.id != tt.want || len(l.verdicts) != 1 {
			t.Errorf("%s: the verdicts are %v, want one on %s", tt.id, l.verdicts, tt.want)
		}
		if q := l.open[tt.want]; q.id != tt.want || !q.deadline.Equal(at) || len(l.open) != 1 {
			t.Errorf("%s: the open requests are %v, want %s", tt.id, l.open, tt.want)
		}
	}
}
