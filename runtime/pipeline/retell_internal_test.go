package pipeline

import (
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
)

// crowd is a turn of n calls, and their results in an order.
func crowd(n int, backwards bool) []chat.Message {
	asked := chat.Message{Role: chat.RoleAssistant}
	messages := make([]chat.Message, n+1)
	for i := range n {
		id := strconv.Itoa(i)
		asked.Calls = append(asked.Calls, chat.ToolCall{ID: id, Name: "search", Arguments: id})
		at := i
		if backwards {
			at = n - 1 - i
		}
		messages[1+at] = chat.Message{Role: chat.RoleTool, Call: id, Name: "search", Text: "found"}
	}
	messages[0] = asked
	return messages
}

// TestRetellingGrowsWithTheCalls counts what is looked at: ten times the calls are ten times the work.
func TestRetellingGrowsWithTheCalls(t *testing.T) {
	for name, tools := range map[string][]chat.ToolSpec{"of a tool that the node does not have": nil, "out of order": {{Name: "search"}}} {
		t.Run(name, func(t *testing.T) {
			steps := map[int]int{}
			for _, n := range []int{1000, 10_000, 100_000} {
				var r retelling
				told := r.emit(crowd(n, tools != nil), tools)
				if len(told) != n || !strings.HasSuffix(told[n-1].Text, ": found") || strings.Count(told[0].Text, "search") != 1 {
					t.Fatalf("%d calls give %d messages, the first is %q", n, len(told), told[0].Text)
				}
				steps[n] = r.steps
			}
			if steps[100_000] > 11*steps[10_000] || steps[10_000] > 11*steps[1000] || steps[1000] > 4000 {
				t.Errorf("steps by calls: %v", steps)
			}
		})
	}
}
