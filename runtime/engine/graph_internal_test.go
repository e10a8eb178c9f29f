package engine

import (
	"reflect"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/prompttext"
)

// TestCopied holds that a copy of a graph has all that the graph has.
func TestCopied(t *testing.T) {
	g := Graph{
		Gen:  SupportsGen6,
		Name: "a", File: "a.graph.yaml", Shape: "1", Nodes: make([]NodeInfo, 1), Transitions: make([]TransitionInfo, 1), MaxSteps: 1, OnMaxSteps: MaxStepsLast,
		Timeout: TimeLimit(time.Second), Budgets: graphgen.Budgets{ToolCalls: 1}, Models: make([]ModelUse, 1),
		Named: make([]string, 1), Model: "large", Temperature: new(float64), Prompts: make([]prompttext.Info, 1),
		Servers: make([]chat.Server, 1), OnError: 1, Mutable: new(Mutable), Interruptible: true, Interrupts: true,
		dynamicNodes: make([]NodeInfo, 1), dynamicTransitions: make([]TransitionInfo, 1),
	}
	g.described()
	g.bound(nil)
	of, is := reflect.ValueOf(&g).Elem(), reflect.ValueOf(g.copied()).Elem()
	for i := range of.NumField() {
		if name := of.Type().Field(i).Name; of.Field(i).IsZero() || is.Field(i).IsZero() {
			t.Errorf("the field %s is %v, of the copy %v", name, of.Field(i), is.Field(i))
		}
	}
}
