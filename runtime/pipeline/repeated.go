package pipeline

import "github.com/graphgen/graphgen/chat"

// A call that equals another one of its turn, or that a pure tool has answered before, is not made.

// repeat gives the calls that were not made the outcomes of those that answer them.
func (s *session) repeat(calls []chat.ToolCall, by []int, outcomes []outcome) {
	for i, answered := range by {
		if answered == i {
			continue
		}
		if answered >= 0 {
			outcomes[i] = outcomes[answered]
			outcomes[i].saved = false // this one was not reported
		}
		s.emitStart(&calls[i])
		s.end(&calls[i], nil, &outcomes[i], true)
	}
}

// earlier marks a call that has the same answer as a call of an earlier turn.
const earlier = -1

// answering finds out which call of the turn answers each one: most answer for themselves,
// and are made. What an earlier turn has answered is put into outcomes.
func (s *session) answering(calls []chat.ToolCall, outcomes []outcome) (by, made []int) {
	by = make([]int, len(calls))
	made = make([]int, 0, len(calls))
	var first map[string]int // of the calls of pure tools, by what is the same in them
	for i := range calls {
		by[i] = i
		t := s.tool(calls[i].Name)
		if key, ok := s.pureKey(&calls[i], t); ok {
			if same, ok := first[key]; ok {
				by[i] = same
				continue
			}
			if first == nil {
				first = map[string]int{}
			}
			first[key] = i
		}
		if s.known(&calls[i], t, &outcomes[i]) {
			by[i] = earlier
			continue
		}
		made = append(made, i)
	}
	return by, made
}

// known reports whether the tool t, which may be nil, is pure and gave a result for the same arguments earlier in the run,
// which it puts into the outcome.
func (s *session) known(c *chat.ToolCall, t *Tool, o *outcome) (ok bool) {
	if key, pure := s.pureKey(c, t); pure {
		o.result, ok = s.conversation.pure[key]
	}
	return ok
}
