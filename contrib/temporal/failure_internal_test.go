package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

// TestFailure holds that an error decides in a workflow what it decides in its activity, with the same text.
func TestFailure(t *testing.T) {
	limited := &chat.ModelError{Kind: chat.RateLimited, Wait: 3 * time.Second, Message: "slow down"}
	for _, err := range []error{
		errors.New("offline"),
		graphgen.Transient(errors.New("busy")),
		fmt.Errorf("store: %w", graphgen.Transient(errors.New("busy"))),
		limited,
		fmt.Errorf("asked twice: %w", limited),
		&chat.ModelError{Kind: chat.Unreachable, Status: 503, Err: errors.New("reset")},
		&chat.ModelError{Kind: chat.Refused, Message: "no"},
		&chat.ModelError{Kind: chat.Malformed, Message: "no JSON", Text: "{"},
		graphgen.Transient(&chat.ModelError{Kind: chat.Refused, Message: "no"}),
		&chat.ToolError{Kind: chat.UnknownTool, Name: "x", Known: []string{"y"}},
		&chat.ToolError{Kind: chat.ResultTooLarge, Size: 9, Limit: 7},
		&chat.ToolError{Kind: chat.BadArguments, Err: errors.New("a is missing")},
		chat.Fatal(errors.New("out of money")),
		chat.Fatal(limited),
		graphgen.Reject("too long"),
		fmt.Errorf("style: %w", graphgen.Reject("too long")),
		context.DeadlineExceeded,
		fmt.Errorf("bank: %w", context.Canceled),
		&thread.SavedError{Text: "of another process", WasPermanent: true},
		&unsendable{errors.New("class: Class is not set")},
		errors.Join(errors.New("a"), graphgen.Transient(errors.New("b"))),
		lasting{errors.New("closed")},
		lasting{limited},
		&unsendable{limited},
	} {
		data, wrong := json.Marshal(failureOf(err))
		if wrong != nil {
			t.Fatal(wrong)
		}
		var f failure
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		was, is := decided(err), decided(f.error())
		if !reflect.DeepEqual(was, is) {
			t.Errorf("%v is\n%+v, and was\n%+v", err, is, was)
		}
	}
}

// lasting is an error of a handler that says that it is not transient.
type lasting struct{ error }

func (lasting) Transient() bool { return false }

// decided is what an error decides.
func decided(err error) map[string]any {
	d := map[string]any{
		"text": err.Error(), "transient": graphgen.IsTransient(err), "decides": errtree.DecidesTransient(err), "permanent": engine.IsPermanent(err),
		"after": errtree.RetryAfter(err), "late": errors.Is(err, context.DeadlineExceeded), "cancelled": errors.Is(err, context.Canceled),
	}
	if e, ok := errors.AsType[interface {
		error
		Fatal() bool
	}](err); ok {
		d["fatal"] = e.Fatal()
	}
	if e, ok := errors.AsType[interface {
		error
		Rejection() string
	}](err); ok {
		d["rejection"] = e.Rejection()
	}
	if e, ok := errors.AsType[*chat.ModelError](err); ok {
		d["model"] = fmt.Sprint(e.Kind, e.Status, e.Wait, e.Limit, e.Used, e.Message, e.Text, e.Err)
	}
	if e, ok := errors.AsType[*chat.ToolError](err); ok {
		d["tool"] = fmt.Sprint(e.Kind, e.Name, e.Known, e.Size, e.Limit, e.Text, e.Late, e.Err)
	}
	return d
}
