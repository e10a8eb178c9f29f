package golden_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
	"github.com/graphgen/graphgen/golden/carry"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/subgraph"
	"github.com/graphgen/graphgen/golden/toolcalls"
	"github.com/graphgen/graphgen/golden/toolloop"
	ends "github.com/graphgen/graphgen/internal/testing/mortal"
	"github.com/graphgen/graphgen/thread"
)

// noting returns an observer that notes events.
func noting(list *[]graphgen.Event) graphgen.Option {
	return graphgen.WithObserver(func(e graphgen.Event) { *list = append(*list, e) })
}

// TestEventNumbers holds that each observer of a run gets 1, 2, 3, …, with the events of child runs, that a hook gets no number, and that a
// route has the number of its transition.
func TestEventNumbers(t *testing.T) {
	var first, second []graphgen.Event
	hook := graphgen.WithHook(graphgen.Hook{Before: func(_ context.Context, e graphgen.Event) error {
		if e.N != 0 {
			t.Errorf("a hook gets event %d", e.N)
		}
		return nil
	}})
	in := subgraph.SurveyInput{Questions: []string{"a", "b", "c"}, Text: "a text of thirty-two characters!"}
	if _, err := new(library).survey(t).Run(t.Context(), in, noting(&first), hook, noting(&second)); err != nil {
		t.Fatal(err)
	}
	within, calls := 0, map[int]graphgen.EventKind{}
	for i, e := range first {
		if e.N != i+1 || second[i].N != e.N || second[i].Kind != e.Kind {
			t.Fatalf("event %d has the numbers %d and %d", i+1, e.N, second[i].N)
		}
		if e.Run.Within != "" {
			within++
		}
		if r := e.Route(); (r.Transition > 0) != (e.Kind == graphgen.Routed && r.Rule != graphgen.RuleTerminal) {
			t.Errorf("%s from %q by %s has transition %d", e.Kind, e.Node, r.Rule, r.Transition)
		}
		if call := e.Model().Call; call > 0 {
			if before, known := calls[call]; known && (before != graphgen.ModelStart || e.Kind != graphgen.ModelEnd) {
				t.Errorf("call %d has a %s after a %s", call, e.Kind, before)
			}
			calls[call] = e.Kind
		}
	}
	if len(first) != len(second) || within == 0 || len(calls) != 6 {
		t.Errorf("there are %d and %d events, %d of child runs, and %d calls", len(first), len(second), within, len(calls))
	}
}

// TestNumbersAfterAPause holds that the events of a run that is resumed in memory begin with 1, and that its calls of models count on.
func TestNumbersAfterAPause(t *testing.T) {
	model := scripted.New(
		scripted.Turn{Calls: []chat.ToolCall{{ID: "b", Name: "refund", Arguments: `{"order":"7","cents":100}`}}},
		scripted.Turn{Text: "It is paid."},
	)
	m := must(durable.NewClerk(clerkWork{new(ledger)}, clerkTools{new(ledger)}, model))
	var before, events []graphgen.Event
	_, err := m.Run(t.Context(), durable.ClerkInput{Message: "Pay me back."}, noting(&before))
	approve := durable.ApproveClerkRefund(graphgen.Approval[durable.ClerkRefundArgs]{Decision: graphgen.Approve})
	out, err := m.Resume(t.Context(), graphgen.AsPause(err), approve, noting(&events))
	if err != nil || out.Reply != "It is paid." {
		t.Fatal(out, err)
	}
	if start := events[0]; start.N != 1 || !start.Resumed || events[len(events)-1].N != len(events) {
		t.Errorf("the events begin with %+v", start)
	}
	next := events[slices.IndexFunc(events, func(e graphgen.Event) bool { return e.Kind == graphgen.ModelStart })]
	if next.Model().Call != 2 {
		t.Errorf("the next call is %+v", next.Model())
	}
}

// TestNumbersOfUnobservedChildRuns holds that concurrent calls of child runs have different numbers in a thread that nothing observes at first.
func TestNumbersOfUnobservedChildRuns(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	office := must(durable.NewOffice(officeWork{new(ledger)}, payingClerk(both.Done, both.Wait), thread.In(thread.NewMemory()))).Thread("t")
	if calls := numbersOfOffice(t, office, office); !slices.Equal(calls, []int{-2, -1, 3, 4}) {
		t.Errorf("the calls are %v", calls)
	}
}

// TestNumbersAfterASnapshot holds that calls of models count on where a process reads one record, which is a snapshot, or a fork.
func TestNumbersAfterASnapshot(t *testing.T) {
	for name, fork := range map[string]bool{"snapshots": false, "a fork": true} {
		set := thread.Settings{Store: thread.NewMemory()}
		if !fork {
			set.Snapshot = 1
		}
		process := func(id string) durable.OfficeThread {
			return must(durable.NewOffice(officeWork{new(ledger)}, payingClerk(), thread.With(set))).Thread(id)
		}
		next := process("t")
		if fork {
			next = process("fork")
		}
		if calls := numbersOfOffice(t, process("t"), next); !slices.Equal(calls, []int{-2, -1, 3, 4}) {
			t.Errorf("%s: the calls are %v", name, calls)
		}
	}
}

// numbersOfOffice starts the run of a thread, and approves its two refunds at another one, which may be a fork of it: there it returns the
// numbers of the calls of models and, negative, of those that asked for a tool.
func numbersOfOffice(t *testing.T, first, next durable.OfficeThread) (calls []int) {
	t.Helper()
	_, err := first.Start(t.Context(), durable.OfficeInput{Messages: []string{"a", "b"}})
	if next.Name() != first.Name() {
		if err := first.Fork(t.Context(), 0, next.Name(), nil); err != nil {
			t.Fatal(err)
		}
		_, err = next.Recover(t.Context())
	}
	observe := graphgen.WithObserver(func(e graphgen.Event) {
		switch e.Kind {
		case graphgen.ModelStart:
			calls = append(calls, e.Model().Call)
		case graphgen.ToolStart:
			calls = append(calls, -e.Tool().By)
		}
	})
	for pause := graphgen.AsPause(err); pause != nil; pause = graphgen.AsPause(err) {
		_, err = next.Resume(t.Context(), graphgen.AnswerJSON[durable.Office](pause.Requests[0].ID, []byte(`"approve"`)), observe)
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(calls)
	return calls
}

// payingClerk returns a clerk whose model asks for one refund. Each first call of it does what is given.
func payingClerk(first ...func()) *durable.Clerk {
	model := chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		if len(req.Messages) > 1 {
			return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "It is paid."}}, nil
		}
		for _, do := range first {
			do()
		}
		calls := []chat.ToolCall{{ID: "a", Name: "refund", Arguments: `{"order":"7","cents":1}`}}
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Calls: calls}}, nil
	})
	return must(durable.NewClerk(clerkWork{new(ledger)}, clerkTools{new(ledger)}, model))
}

// TestNumbersOfBranches holds that calls which concurrent branches have made keep their numbers in another process, and that no call gets the
// number of another.
func TestNumbersOfBranches(t *testing.T) {
	for range 20 { // the branches call their models in any order
		store := thread.NewMemory()
		model := chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
			said := chat.Message{Role: chat.RoleAssistant, Text: "It is paid."}
			if len(req.Messages) == 1 {
				said = chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "a", Name: "refund", Arguments: `{"order":"7","cents":1}`}}}
			}
			return &chat.Response{Message: said}, nil
		})
		process := func() *durable.Office {
			clerk := must(durable.NewClerk(clerkWork{new(ledger)}, clerkTools{new(ledger)}, model))
			return must(durable.NewOffice(officeWork{new(ledger)}, clerk, thread.In(store)))
		}
		var before, after []graphgen.Event
		_, err := process().Thread("t").Start(t.Context(), durable.OfficeInput{Messages: []string{"a", "b"}}, noting(&before))
		for pause := graphgen.AsPause(err); pause != nil; pause = graphgen.AsPause(err) {
			answer := graphgen.AnswerJSON[durable.Office](pause.Requests[0].ID, []byte(`"approve"`))
			_, err = process().Thread("t").Resume(t.Context(), answer, noting(&after))
		}
		if err != nil {
			t.Fatal(err)
		}
		asked, seen := map[string]int{}, map[int]bool{}
		for _, e := range slices.Concat(before, after) {
			switch call := e.Model().Call; e.Kind {
			case graphgen.ModelStart:
				if seen[call] {
					t.Errorf("two calls have the number %d", call)
				}
				seen[call] = true
			case graphgen.ModelEnd:
				asked[e.Run.Branch] = call
			case graphgen.ToolStart:
				if by := e.Tool().By; by != asked[e.Run.Branch] {
					t.Errorf("in branch %s call %d is said to have asked, and %d has", e.Run.Branch, by, asked[e.Run.Branch])
				}
			}
		}
		if len(seen) != 4 {
			t.Errorf("%d calls", len(seen))
		}
	}
}

// TestNumbersOfAThread holds what links the events of a thread that two processes make: the records, the calls of models, and the call that
// asked for a tool.
func TestNumbersOfAThread(t *testing.T) {
	store := thread.NewMemory()
	model := scripted.New(
		scripted.Turn{Calls: []chat.ToolCall{{ID: "a", Name: "look_up", Arguments: `{"order":"7"}`}}},
		scripted.Turn{Calls: []chat.ToolCall{{ID: "b", Name: "refund", Arguments: `{"order":"7","cents":100}`}}},
		scripted.Turn{Text: "It is paid."},
	)
	process := func() *durable.Clerk {
		m, err := durable.NewClerk(clerkWork{new(ledger)}, clerkTools{new(ledger)}, model, thread.In(store))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	var before, after []graphgen.Event
	_, err := process().Thread("t").Start(t.Context(), durable.ClerkInput{Message: "Pay me back."}, noting(&before))
	if graphgen.AsPause(err) == nil {
		t.Fatal(err)
	}
	approve := durable.ApproveClerkRefund(graphgen.Approval[durable.ClerkRefundArgs]{Decision: graphgen.Approve})
	if _, err := process().Thread("t").Resume(t.Context(), approve, noting(&after)); err != nil {
		t.Fatal(err)
	}
	for i, events := range [][]graphgen.Event{before, after} {
		if start := events[0]; start.N != 1 || start.Kind != graphgen.RunStart || start.Resumed != (i == 1) || start.Run.Shape == "" {
			t.Errorf("part %d begins with %+v", i, start)
		}
		if !slices.IsSortedFunc(events, func(a, b graphgen.Event) int { return a.Record - b.Record }) {
			t.Errorf("the records of part %d are not in order", i)
		}
	}
	asked := before[slices.IndexFunc(before, func(e graphgen.Event) bool { return e.Kind == graphgen.Interrupt })]
	if q := asked.Request(); q.ID == "" || q.Tool != "refund" || q.Schema == "" || q.Arguments != `{"order":"7","cents":100}` {
		t.Errorf("the request of the event is %+v", q)
	}
	var calls, by []int
	for _, e := range slices.Concat(before, after) {
		switch e.Kind {
		case graphgen.ModelEnd:
			calls = append(calls, e.Model().Call)
		case graphgen.ToolEnd:
			by = append(by, e.Tool().By)
		}
	}
	if !slices.Equal(calls, []int{1, 2, 3}) || !slices.Equal(by, []int{1, 2}) { // another process made the call that asked for the refund
		t.Errorf("the calls are %v, tools are asked for by %v", calls, by)
	}
	var steps []uint64 // of the end of nodes
	for e, err := range process().Thread("t").Watch(t.Context(), thread.After{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range e.Saved.Changes {
			if c.Node != "" {
				steps = append(steps, e.Seq)
			}
		}
	}
	ends := 0
	for _, e := range after {
		if e.Kind == graphgen.NodeEnd {
			ends++
			if !slices.Contains(steps, uint64(e.Record+1)) {
				t.Errorf("the end of %s is after record %d, steps are in %v", e.Node, e.Record, steps)
			}
		}
	}
	if ends == 0 {
		t.Error("no node ended")
	}
}

// TestSavedCallsAreNoCalls holds that a process reports no call of a model or a tool whose result another process has saved, and knows its number.
func TestSavedCallsAreNoCalls(t *testing.T) {
	for name, c := range map[string]struct {
		feed  *thread.Feed
		at    uint64 // the record after which the first process ends
		calls []int  // of models, and negative those that asked for a tool
	}{
		"after the answer of the model":              {nil, 2, []int{-2, 3, 3}},
		"after the answer of the model, with a feed": {new(thread.Feed), 2, []int{-2, 3, 3}},
		"after the result of the tool":               {nil, 3, []int{3, 3}},
		"after the step":                             {nil, 4, []int{3, 3}},
	} {
		store := &ends.Store{Transactor: &ends.Memory{Memory: thread.NewMemory()}}
		store.Ends = func(h thread.Head, _ bool) ends.End {
			if h.Seq == c.at {
				return ends.Behind
			}
			return ends.Lives
		}
		calls := 0
		model := chat.Retry(chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
			m := chat.Message{Role: chat.RoleAssistant}
			switch calls++; calls {
			case 1:
				return nil, &chat.ModelError{Kind: chat.Unreachable}
			case 2:
				m.Calls = []chat.ToolCall{{ID: "a", Name: "look_up", Arguments: `{"order":"7"}`}}
			default:
				m.Text = "It was 100."
			}
			return &chat.Response{Message: m, Usage: chat.Usage{Input: 1}}, nil
		}), chat.Backoff{Wait: 1})
		process := func() *durable.Clerk {
			opts := thread.With(thread.Settings{Store: store, Feed: c.feed})
			return must(durable.NewClerk(clerkWork{new(ledger)}, clerkTools{new(ledger)}, model, opts))
		}
		if _, err := process().Thread("t").Start(t.Context(), durable.ClerkInput{Message: "How much?"}); !errors.Is(err, ends.ErrKilled) {
			t.Fatal(err)
		}
		var events []graphgen.Event
		if _, err := process().Thread("t").Recover(t.Context(), noting(&events)); err != nil {
			t.Fatal(err)
		}
		if start := events[0]; start.N != 1 || !start.Resumed {
			t.Errorf("%s: the events begin with %+v", name, start)
		}
		var got []int
		for _, e := range events {
			switch e.Kind {
			case graphgen.ModelStart, graphgen.ModelEnd:
				got = append(got, e.Model().Call)
			case graphgen.ToolStart:
				got = append(got, -e.Tool().By)
			}
		}
		if !slices.Equal(got, c.calls) {
			t.Errorf("%s: the calls are %v, want %v", name, got, c.calls)
		}
	}
}

// searcher has the tools of the graph tool_conversation.
type searcher struct{}

func (searcher) Search(context.Context, toolloop.ToolConversationSearchArgs) ([]string, error) {
	return []string{"otters swim"}, nil
}

func (searcher) Clock(context.Context) (string, error) { return "", errors.New("it has stopped") }

// deferredTools has the tools of the graph toolcalls.
type deferredTools struct{ toolcalls.ToolcallsTools }

func (deferredTools) Search(context.Context, toolcalls.ToolcallsSearchArgs) ([]string, error) {
	return []string{"otters swim"}, nil
}

func (deferredTools) Now(context.Context) (string, error) { return "noon", nil }

func (deferredTools) Confirm(context.Context, *toolcalls.ToolcallsState) (toolcalls.ToolcallsConfirmGoto, error) {
	return 0, nil
}

// TestNumbersOfDeferredCalls holds that a call which a prompt leaves to a tool node has the number of the call of the model that asked for it, and a call
// that the tool node makes by itself has none.
func TestNumbersOfDeferredCalls(t *testing.T) {
	search := []chat.ToolCall{{ID: "a", Name: "search", Arguments: `{"query":"otters"}`}}
	model := scripted.New(scripted.Turn{Calls: search}, scripted.Turn{Calls: search}, scripted.Turn{Text: "yes"})
	var events []graphgen.Event
	m := must(toolcalls.NewToolcalls(deferredTools{}, deferredTools{}, model))
	if _, err := m.Run(t.Context(), toolcalls.ToolcallsInput{Topic: "otters"}, noting(&events)); err != nil {
		t.Fatal(err)
	}
	var by []int
	for _, e := range events {
		if e.Kind == graphgen.ToolStart || e.Kind == graphgen.ToolEnd {
			by = append(by, e.Tool().By)
		}
	}
	if !slices.Equal(by, []int{1, 1, 2, 2, 0, 0}) {
		t.Errorf("the tools are asked for by %v", by)
	}
}

// TestExchanges holds that the conversation of each call can be put together from what its event adds to an earlier one, that it is what
// the model was sent, and that a run without the option has nothing of it.
func TestExchanges(t *testing.T) {
	turns := []scripted.Turn{
		{Calls: []chat.ToolCall{{ID: "a", Name: "search", Arguments: `{"query":"otters"}`}}}, {Text: "They swim."},
		{Calls: []chat.ToolCall{{ID: "b", Name: "clock", Arguments: `{}`}}}, {Text: "They swim at noon."},
	}
	model := scripted.New(turns...)
	var events []graphgen.Event
	m := must(toolloop.NewToolConversation(searcher{}, model))
	if _, err := m.Run(t.Context(), toolloop.ToolConversationInput{Topic: "otters"}, graphgen.WithExchanges(), noting(&events)); err != nil {
		t.Fatal(err)
	}
	sent, continued := map[int][]chat.Message{}, 0
	for _, e := range events {
		switch call := e.Model(); e.Kind {
		case graphgen.ModelStart:
			if call.Continues > 0 {
				continued++
			}
			added := e.Sent().Messages[call.Same:]
			sent[call.Call] = slices.Concat(sent[call.Continues][:call.Same], added)
			if is := model.Asked()[call.Call-1].Request; !slices.EqualFunc(sent[call.Call], is.Messages, chat.Message.Equal) || e.Sent().System != is.System {
				t.Errorf("call %d was sent %+v, want %+v", call.Call, sent[call.Call], is.Messages)
			}
		case graphgen.ModelEnd:
			if want := turns[call.Call-1].Text; e.Received().Message.Text != want {
				t.Errorf("call %d received %+v, want %q", call.Call, e.Received(), want)
			}
		default:
			if e.Sent() != nil || e.Received() != nil {
				t.Errorf("%s has an exchange", e.Kind)
			}
		}
	}
	if len(sent) != 4 || continued != 2 {
		t.Errorf("of %d requests %d continue another", len(sent), continued)
	}
	m = must(toolloop.NewToolConversation(searcher{}, scripted.New(turns...)))
	silent(t, func(observe graphgen.Option) error {
		_, err := m.Run(t.Context(), toolloop.ToolConversationInput{Topic: "otters"}, observe)
		return err
	})
}

// TestExchangesOfRawAnswers holds that events have a JSON where a model's message has no role and its calls have no IDs, and that the answer
// there is the one that the run continues with.
func TestExchangesOfRawAnswers(t *testing.T) {
	raw := func(fails int) chat.Model {
		n := 0
		return chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
			switch n++; n {
			case fails:
				return &chat.Response{Message: chat.Message{Text: "half of it"}}, &chat.ModelError{Kind: chat.Unreachable}
			case fails + 1:
				return &chat.Response{Message: chat.Message{Calls: []chat.ToolCall{{Name: "search", Arguments: `{"query":"otters"}`}}}}, nil
			}
			return &chat.Response{Message: chat.Message{Text: "They \xffswim."}}, nil
		})
	}
	for name, c := range map[string]struct {
		model chat.Model
		opts  []graphgen.Option
	}{
		"a model":                        {model: raw(0)},
		"a model that fails":             {model: chat.Retry(raw(1), chat.Backoff{Wait: 1})},
		"a model whose fallback answers": {model: chat.Fallback(raw(1), raw(0))},
		"a model within a wrapper": {model: raw(0), opts: []graphgen.Option{graphgen.WithModelWrapper(func(m chat.Model) chat.Model {
			return chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
				return m.Generate(ctx, req, stream)
			})
		})}},
	} {
		var asked, called []string // the IDs of calls, as answers and the calls have them
		answers := 0
		observer := graphgen.WithObserver(func(e graphgen.Event) {
			if _, err := e.AppendJSON(nil); err != nil {
				t.Errorf("%s: %s: %v", name, e.Kind, err)
			}
			if r := e.Received(); r != nil {
				if answers++; r.Message.Role != chat.RoleAssistant {
					t.Errorf("%s: received %+v", name, r.Message)
				}
				for _, call := range r.Message.Calls {
					asked = append(asked, call.ID)
				}
			}
			if e.Kind == graphgen.ToolStart {
				called = append(called, e.Tool().ID)
			}
		})
		m := must(toolloop.NewToolConversation(searcher{}, c.model, append(c.opts, graphgen.WithExchanges(), observer)...))
		if _, err := m.Run(t.Context(), toolloop.ToolConversationInput{Topic: "otters"}); err != nil {
			t.Fatal(name, err)
		}
		if answers < 2 || len(asked) == 0 || asked[0] == "" || !slices.Equal(asked, called) {
			t.Errorf("%s: %d answers ask for the calls %q, made are %q", name, answers, asked, called)
		}
	}
}

// TestExchangesOfChildRuns holds that the observers of a run get the exchanges of its child runs, whose machines have no such option.
func TestExchangesOfChildRuns(t *testing.T) {
	in := subgraph.SurveyInput{Questions: []string{"a"}, Text: "a text of thirty-two characters!"}
	sent := 0
	if _, err := new(library).survey(t).Run(t.Context(), in, graphgen.WithExchanges(), graphgen.WithObserver(func(e graphgen.Event) {
		if e.Run.Within != "" && e.Sent() != nil {
			sent++
		}
	})); err != nil || sent == 0 {
		t.Errorf("%d requests of child runs, %v", sent, err)
	}
}

// TestSecretExchanges holds that a thread with secret fields reports no exchanges.
func TestSecretExchanges(t *testing.T) {
	set := thread.Settings{Store: thread.NewMemory(), Seal: keys(t, "k")}
	m := must(carry.NewHelpdesk(new(counter), new(counter), scripted.New(scripted.Turn{Text: "yes"}), graphgen.WithExchanges(), thread.With(set)))
	silent(t, func(observe graphgen.Option) error {
		_, err := m.Thread("t").Start(t.Context(), carry.HelpdeskInput{Message: "hello"}, observe)
		return err
	})
}

// silent holds that a run calls models and that its events have nothing of what was sent and received.
func silent(t *testing.T, run func(graphgen.Option) error) {
	t.Helper()
	calls := 0
	if err := run(graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind == graphgen.ModelEnd {
			calls++
		}
		if e.Sent() != nil || e.Received() != nil {
			t.Errorf("%s has an exchange", e.Kind)
		}
	})); err != nil || calls == 0 {
		t.Errorf("%d calls, %v", calls, err)
	}
}
