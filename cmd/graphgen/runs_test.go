package main

import (
	"reflect"
	"testing"
)

// TestEventCounts counts the events of two runs that run at a time, one of which runs another graph.
func TestEventCounts(t *testing.T) {
	all, err := eventRuns("log", []byte(`
{"kind":"node_start","run":"a","graph":"news","node":"look"}
{"kind":"node_start","run":"b","graph":"news","node":"look"}
{"kind":"node_start","run":"a.look.1","graph":"search","within":"look","node":"find"}
{"kind":"node_error","run":"a.look.1","graph":"search","within":"look","node":"find"}
{"kind":"route","run":"a.look.1","graph":"search","within":"look","node":"find","route":{"to":"end","transition":2}}
{"kind":"interrupt","run":"a","graph":"news","node":"ask"}
{"kind":"interrupt","run":"b","graph":"news","node":"ask"}
{"kind":"node_end","run":"b","graph":"news","node":"sign"}
{"kind":"route","run":"b","graph":"news","node":"look","route":{"to":"end","transition":3}}
`))
	if err != nil {
		t.Fatal(err)
	}
	r := runs{}
	for _, run := range all {
		r.add(run)
	}
	news, search := r["news"], r["search"]
	for _, row := range []struct {
		what      string
		got, want any
	}{
		{"visits of news", news.visits, map[string]int{"look": 2, "look/find": 1}},
		{"failures of news", news.failed, map[string]int{"look/find": 1}},
		{"transitions of news", news.taken, map[string]int{"look/2": 1, "3": 1}},
		{"waiting in news", news.waiting, map[string]bool{"ask": true}},
		{"visits of search", search.visits, map[string]int{"find": 1}},
		{"transitions of search", search.taken, map[string]int{"2": 1}},
	} {
		if !reflect.DeepEqual(row.got, row.want) {
			t.Errorf("%s: got %v, want %v", row.what, row.got, row.want)
		}
	}
	for _, text := range []string{"", "{}", "nothing", `{"kind":"route"}`} {
		if _, err := eventRuns("log", []byte(text)); err == nil {
			t.Errorf("%q is taken for events", text)
		}
	}
}
