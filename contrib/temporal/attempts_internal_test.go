package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/graphgen/graphgen/chat"
)

// TestOlderWorkflows holds that an activity returns what calls of models have used, and which calls it has repeated, to a workflow that counts these alone:
// one of an earlier version, which does not, could otherwise not be replayed by a worker that does.
func TestOlderWorkflows(t *testing.T) {
	refused := &chat.ModelError{Kind: chat.Refused, Message: "no"}
	for name, fails := range map[string][]error{
		"an answer":  {&chat.ModelError{Kind: chat.Unreachable}, nil},
		"a refusal":  {refused},
		"two errors": {&chat.ModelError{Kind: chat.Unreachable}, refused},
	} {
		t.Run(name, func(t *testing.T) {
			for _, counts := range []bool{false, true} {
				left := slices.Clone(fails)
				m := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
					err := left[0]
					left = left[1:]
					return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant}, Usage: chat.Usage{Input: 3}}, err
				})
				conversation, err := segmentOf("", []chat.Message{{Role: chat.RoleUser, Text: "hi"}})
				if err != nil {
					t.Fatal(err)
				}
				task := &Task{in: []json.RawMessage{json.RawMessage("{}"), conversation}, counts: counts}
				err = NewActivities("g", nil).ask(t.Context(), task, chat.Retry(m, chat.Backoff{Attempts: 2, Wait: 1}))
				if got := isCounted(t, task, err); got != counts {
					t.Errorf("a workflow that counts calls %t gets them %t", counts, got)
				}
			}
		})
	}
}

// isCounted reports whether a workflow gets the calls, or what they have used, besides an answer.
func isCounted(t *testing.T, task *Task, err error) bool {
	t.Helper()
	if err != nil {
		f := failureOf(err)
		if errors.Is(err, errSpent) {
			t.Error(err)
		}
		return f.Tries != nil
	}
	var r responded
	if err := json.Unmarshal(task.out[0], &r); err != nil {
		t.Fatal(err)
	}
	return r.Tries != nil
}

// TestUsageWithoutJSON holds that the error of a call comes through whose usage cannot be sent.
func TestUsageWithoutJSON(t *testing.T) {
	m := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		return &chat.Response{Usage: chat.Usage{Cost: math.NaN()}}, &chat.ModelError{Kind: chat.Refused}
	})
	conversation, err := segmentOf("", nil)
	if err != nil {
		t.Fatal(err)
	}
	task := &Task{in: []json.RawMessage{json.RawMessage("{}"), conversation}, counts: true}
	f := failureOf(NewActivities("g", nil).ask(t.Context(), task, m))
	if _, err := json.Marshal(f); err != nil || f.Model == nil || f.Model.Kind != chat.Refused {
		t.Errorf("%+v: %v", f, err)
	}
}

// TestAnswerWithoutJSON holds that calls count whose answer cannot be sent.
func TestAnswerWithoutJSON(t *testing.T) {
	for _, fails := range []int{0, 1} {
		calls := 0
		m := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
			resp := &chat.Response{Message: chat.Message{Voice: "\xff"}, Usage: chat.Usage{Input: 3}}
			if calls++; calls <= fails {
				return resp, &chat.ModelError{Kind: chat.Unreachable}
			}
			return resp, nil
		})
		conversation, err := segmentOf("", []chat.Message{{Role: chat.RoleUser, Text: "hi"}})
		if err != nil {
			t.Fatal(err)
		}
		task := &Task{in: []json.RawMessage{json.RawMessage("{}"), conversation}, counts: true}
		if err = NewActivities("g", nil).ask(t.Context(), task, chat.Retry(m, chat.Backoff{Attempts: 2, Wait: 1})); err == nil {
			t.Fatal("the answer has a JSON")
		}
		f := failureOf(err)
		if f.Tries == nil || len(f.Tries.Ended) != fails+1 || f.Tries.Open {
			t.Fatalf("after %d failures the calls are %+v", fails, f.Tries)
		}
		for _, made := range f.Tries.Ended {
			if resp, err := made.ends(); err == nil || resp == nil || resp.Usage.Input != 3 {
				t.Errorf("after %d failures a call has given %+v, %v", fails, resp, err)
			}
		}
	}
}
