package providertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// nulls sets each member of each object to null, of a stream and of a whole answer. Null is as if the member were absent.
func (o *oddCaller) nulls(t *testing.T, events []Event, whole string) {
	for i, e := range events {
		for _, path := range pathsOf(e.Data) {
			with := func(data string) *outcome {
				changed := slices.Clone(events)
				changed[i].Data = data
				return o.ask(t, body(200, streamType, joined(changed)), quiet)
			}
			o.same(t, fmt.Sprintf("event %d, %s", i, strings.Join(path, ".")), with(changedAt(e.Data, path, false)), with(changedAt(e.Data, path, true)))
		}
	}
	for _, path := range pathsOf(whole) {
		with := func(data string) *outcome { return o.ask(t, body(200, jsonType, data), nil) }
		o.same(t, "whole, "+strings.Join(path, "."), with(changedAt(whole, path, false)), with(changedAt(whole, path, true)))
	}
}

func (o *oddCaller) same(t *testing.T, name string, null, absent *outcome) {
	if null.kind() != absent.kind() || answerText(null.response) != answerText(absent.response) {
		t.Errorf("%s is null: %s, %s, %s\nabsent: %s, %s, %s", name, null.kind(), answerText(null.response), brief(null.err),
			absent.kind(), answerText(absent.response), brief(absent.err))
	}
}

// pathsOf lists the members of a JSON value, at any depth.
func pathsOf(data string) (list [][]string) {
	var root any
	if json.Unmarshal([]byte(data), &root) != nil {
		return nil
	}
	var walk func(v any, path []string)
	walk = func(v any, path []string) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				at := append(slices.Clip(path), name)
				list = append(list, at)
				walk(v[name], at)
			}
		case []any:
			for i := range v {
				walk(v[i], append(slices.Clip(path), strconv.Itoa(i)))
			}
		}
	}
	walk(root, nil)
	return list
}

// changedAt returns a JSON value without a member, or with null in its place.
func changedAt(data string, path []string, absent bool) string {
	var root any
	if err := json.Unmarshal([]byte(data), &root); err != nil {
		panic(err)
	}
	v := root
	for _, step := range path[:len(path)-1] {
		switch at := v.(type) {
		case map[string]any:
			v = at[step]
		case []any:
			i, _ := strconv.Atoi(step)
			v = at[i]
		}
	}
	object, last := v.(map[string]any), path[len(path)-1]
	if object[last] = nil; absent {
		delete(object, last)
	}
	text, err := json.Marshal(root)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// otherwise answers with the answer of a stream in other ways: in one piece where a stream was asked for, as a stream where none was, and with other
// types of content. The answer comes whole, or there is an error.
func (o *oddCaller) otherwise(t *testing.T, events []Event, whole string) {
	stream := joined(events)
	want := answerText(o.ask(t, body(200, streamType, stream), quiet).response)
	for _, content := range []string{
		streamType, streamType + "; charset=utf-8", "TEXT/EVENT-STREAM", jsonType, jsonType + ";charset=utf-8", "Application/JSON",
		"application/x-ndjson", "text/plain", "text/html", "nonsense", " ",
	} {
		o.rightOrError(t, "a stream as "+content, want, o.ask(t, body(200, content, stream), quiet))
		o.rightOrError(t, "a stream, not asked for, as "+content, want, o.ask(t, body(200, content, stream), nil))
		o.rightOrError(t, "in one piece as "+content, want, o.ask(t, body(200, content, whole), nil))
		o.rightOrError(t, "in one piece, where a stream was asked for, as "+content, want, o.ask(t, body(200, content, whole), quiet))
	}
	last := events[len(events)-1]
	for n := range 3 {
		again := slices.Concat(events, slices.Repeat([]Event{last}, n+1))
		if got := o.ask(t, body(200, streamType, joined(again)), quiet); got.err != nil || answerText(got.response) != want {
			t.Errorf("the last event comes %d times more: %s, %s", n+1, answerText(got.response), brief(got.err))
		}
	}
}

func (o *oddCaller) rightOrError(t *testing.T, name, want string, got *outcome) {
	if got.err != nil && got.kind()&(transport|malformed) == 0 || got.err == nil && answerText(got.response) != want {
		t.Errorf("%s: %s, %s", name, answerText(got.response), brief(got.err))
	}
}

// faults reports an error of the server before each event: the answer is that error, also where nothing of it was missing.
func (o *oddCaller) faults(t *testing.T, events []Event, fault Event) {
	for i := range events {
		got := o.ask(t, body(200, streamType, joined(slices.Insert(slices.Clone(events), i, fault))), quiet)
		if got.kind()&(transport|limited) == 0 {
			t.Errorf("an error before event %d: %s, %s", i, answerText(got.response), brief(got.err))
		}
	}
}

// empties sends events whose text is empty before each event that has text.
func (o *oddCaller) empties(t *testing.T, events []Event, text string) {
	want := answerText(o.ask(t, body(200, streamType, joined(events)), quiet).response)
	var more []Event
	for _, e := range events {
		if none := strings.ReplaceAll(e.Data, text, ""); none != e.Data {
			more = append(more, Event{e.Type, none}, Event{e.Type, none}, e, Event{e.Type, none})
			continue
		}
		more = append(more, e)
	}
	if got := o.ask(t, body(200, streamType, joined(more)), quiet); got.err != nil || answerText(got.response) != want {
		t.Errorf("empty texts around texts: %s, %s\n%s", answerText(got.response), brief(got.err), joined(more))
	}
}
