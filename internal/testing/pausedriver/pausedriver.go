// Package pausedriver runs generated machines whose nodes ask people, answers their requests, and compares the
// runs with those of twins, which have the answers beforehand. The machines of the property test of pauses link
// against it.
package pausedriver

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// A Node is a row of the table of a machine: what a node does in each of its visits.
type Node struct {
	Decides bool // it asks for a decision, before its work if it has any
	Replies bool // it asks for a reply
	Tool    bool // the reply is the result of a tool that the caller runs
	Works   bool // it has a handler in the graph with people
	Calls   bool // a model in it calls a tool, for which a person decides; a no is no failure of the node
	Loses   bool // it fails always, in a branch of a join that takes the first success
	Late    bool // its answers arrive after their deadline

	Routes    int  // of a router: among how many it chooses
	Fails     int  // per cent of its visits
	Transient bool // its failures are tried again
	FailFast  bool // a failure of another branch may cancel it
}

// A Value is the output of a handler, a reply, or a decision.
type Value struct {
	Log      []string
	Total    int
	Decision graphgen.Decision
	N        int // the argument of a call that a person gives in place of that of the model; 0: none
}

// Error returns why a tool gives no result, where the value is that of a failure.
func (v Value) Error() string {
	if v.Decision == graphgen.Deny {
		return errFails.Error()
	}
	return ""
}

// An Output is what a run ends with.
type Output struct {
	Log   []string
	Total int
}

// A Call runs a machine, or resumes one of its runs.
type Call func(ctx context.Context, opts ...graphgen.Option) (Output, error)

// Calls are the methods of a machine.
type Calls struct {
	Run    Call
	Answer func(p *graphgen.InterruptedError, id string, answer []byte) Call
	Stream func(p *graphgen.InterruptedError, id string, answer []byte) Call // StreamAnswer
	Typed  map[string]func(p *graphgen.InterruptedError, v Value) Call       // by the path of the node
	GoOn   func(p *graphgen.InterruptedError) Call                           // the method Continue; nil: it has none
}

// Streamed returns the output and the error of a run, from its events.
func Streamed[O any](events graphgen.Events) (out O, err error) {
	for e, failure := range events {
		if o, ok := graphgen.Output[O](e); ok {
			out = o
		}
		err = failure
	}
	return out, err
}

// A Machine is a graph and its twin.
type Machine struct {
	Name  string
	Nodes map[string]Node // by the path of the node: the nodes around it that run other graphs, and its own name
	New   func() Calls    // with people
	Twin  func() Calls
}

// Approval returns the typed answer about a call whose arguments args makes.
func Approval[A any](v Value, args func(n int) A) graphgen.Approval[A] {
	a := graphgen.Approval[A]{Decision: v.Decision}
	if v.N != 0 {
		given := args(v.N)
		a.Args = &given
	}
	return a
}

// ends reports whether a failure of the node ends other branches.
func (n Node) ends() bool { return n.FailFast && !n.Calls && !n.Loses }

// errFails is the failure of a node.
var errFails = errors.New("it fails")

// A step is the identity of a step, but for the visits of the nodes around it that run other graphs.
type step struct {
	path, branch string
	visit        int
	asks         bool   // it is the request of the step, not its work
	picks        string // of a call of a model: what it chooses from
}

// A session is one run of a machine.
type session struct {
	nodes  map[string]Node
	people bool
	data   uint64 // determines the answers
	pace   uint64 // determines how long handlers take
	dry    bool   // the run stops before the first node whose edges have conditions

	mu       sync.Mutex
	effects  map[step]int
	numbers  map[step]int    // the sums of the numbers of steps
	keys     map[string]step // by idempotency key
	total    int             // of effects
	failed   bool            // a step that may cancel others failed
	call     int             // the number of the current call
	cancel   context.CancelFunc
	cancelIn int // effects
	problems []string
}

func newSession(m *Machine, people bool, data, pace uint64) *session {
	return &session{nodes: m.Nodes, people: people, data: data, pace: pace, dry: data%4 == 3, effects: map[step]int{},
		numbers: map[step]int{}, keys: map[string]step{}}
}

type sessionKey struct{}
type callKey struct{}

// with returns a context for a call of the session.
func (s *session) with(ctx context.Context, call int) context.Context {
	return context.WithValue(context.WithValue(ctx, sessionKey{}, s), callKey{}, call)
}

// here returns the session and the step of a context.
func here(ctx context.Context) (*session, step) {
	i := graphgen.Info(ctx)
	return ctx.Value(sessionKey{}).(*session), step{path: path(i.Within, i.Node), branch: i.Branch, visit: i.Visit}
}

// Do is the work of every handler. In a twin it is also the answer of a person.
func Do(ctx context.Context) (Value, error) {
	s, at := here(ctx)
	n, known := s.nodes[at.path]
	if !known {
		s.problem("no node %s in the table", at.path)
	}
	if err := s.sleep(ctx, at); err != nil {
		return Value{}, err
	}
	if !s.people && (n.Decides || n.Replies) {
		asked := at
		asked.asks = true
		s.note(asked, "", n)
		if s.fails(asked, n) {
			return Value{}, errFails
		}
		if !n.Works {
			return s.value(asked), nil
		}
	}
	s.effect(ctx, at, n)
	if !n.Decides && s.fails(at, n) {
		if n.Transient {
			return Value{}, graphgen.Transient(errFails)
		}
		return Value{}, errFails
	}
	return s.value(at), nil
}

// Route is the work of the handler of a router, whose choices are the numbers from 1 on.
func Route[C ~uint16](ctx context.Context) (C, error) {
	if _, err := Do(ctx); err != nil {
		return 0, err
	}
	s, at := here(ctx)
	return C(1 + s.route(at)), nil
}

// Approved is the work of a tool that a model calls, with the number of the call. In a twin it is also the decision of a
// person, whose no the model gets as an error of the tool.
func Approved(ctx context.Context, number int) (string, error) {
	s, at := here(ctx)
	n := s.nodes[at.path]
	if err := s.sleep(ctx, at); err != nil {
		return "", err
	}
	asked := at
	asked.asks = true
	if !s.people {
		s.note(asked, "", n)
		if s.fails(asked, n) {
			return "", errFails
		}
	} else if want := max(s.number(asked), 1); number != want || s.fails(asked, n) {
		s.problem("%v is called with %d in place of %d, denied: %t", at, number, want, s.fails(asked, n))
	}
	at.picks = "tool"
	s.effect(ctx, at, n)
	return "done", nil
}

// number returns the argument that a person gives a call; 0: none.
func (s *session) number(asked step) int { return int(hash(s.data, asked) >> 16 % 3) }

// route returns which of its routes a router chooses in a step; of a node that is none it is the first.
func (s *session) route(at step) int {
	return int(hash(s.data, at) >> 24 % uint64(max(s.nodes[at.path].Routes, 1)))
}

// effect notes the work of a step. The context of the step must be the one of the current call.
func (s *session) effect(ctx context.Context, at step, n Node) {
	key := graphgen.IdempotencyKey(ctx)
	if key != "" {
		key += at.picks
	}
	s.note(at, key, n)
	number := graphgen.Info(ctx).Step
	s.mu.Lock()
	defer s.mu.Unlock()
	s.numbers[at] += number
	if call := ctx.Value(callKey{}); call != s.call {
		s.problems = append(s.problems, fmt.Sprintf("%v has the context of call %v, in call %d", at, call, s.call))
	}
	if s.cancel != nil {
		if s.cancelIn--; s.cancelIn == 0 {
			s.cancel()
		}
	}
}

// note counts a step. A key that another step has is a problem.
func (s *session) note(at step, key string, n Node) {
	failed := n.ends() && s.fails(at, n)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.effects[at]++
	s.total++
	s.failed = s.failed || failed
	if key == "" {
		return
	}
	if before, taken := s.keys[key]; taken {
		s.problems = append(s.problems, fmt.Sprintf("%v and %v have the idempotency key %s (people: %t)", before, at, key, s.people))
	}
	s.keys[key] = at
}

func (s *session) problem(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

func (s *session) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// sleep takes as long as the pace of the session says, and ends with the context.
func (s *session) sleep(ctx context.Context, at step) error {
	if d := hash(s.pace, at) % 5; d > 0 {
		timer := time.NewTimer(time.Duration(d) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

// fails reports whether a step fails, or the answer to its request is no.
func (s *session) fails(at step, n Node) bool {
	if n.Late && at.asks {
		return true
	}
	if n.Decides != at.asks { // of a node that asks before its work, only the answer may be no
		return false
	}
	return int(hash(s.data, at)>>8%100) < n.Fails
}

// value returns what a step writes.
func (s *session) value(at step) Value {
	return Value{Log: []string{fmt.Sprint(at.path, " ", at.branch, " ", at.visit)}, Total: int(hash(s.data, at)%9) + 1}
}

// path returns the path of a node.
func path(within, node string) string { return strings.TrimPrefix(within+"/"+node, "/") }

func hash(seed uint64, at step) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, seed, at)
	x := h.Sum64()
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}

// Model is the model of all nodes. It picks the next node of a pool, the first that it may, and the route of a router;
// a prompt with a tool calls it, and answers when it has the result.
var Model = chat.ModelFunc(func(ctx context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	s, at := here(ctx)
	if err := s.sleep(ctx, at); err != nil {
		return nil, err
	}
	if len(req.Tools) > 0 {
		return s.prompt(ctx, at, req), nil
	}
	_, names, _ := strings.Cut(req.Output.JSON, `"enum":["`)
	names, _, _ = strings.Cut(names, `"]`)
	at.picks = names
	n := s.nodes[at.path]
	s.effect(ctx, at, n)
	if s.fails(at, n) {
		return nil, errFails
	}
	choices, chosen := strings.Split(names, `","`), s.route(at)
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: `{"route":"` + choices[chosen] + `"}`}, Finish: chat.Stop}, nil
})

// prompt returns a turn of a prompt with a tool.
func (s *session) prompt(ctx context.Context, at step, req *chat.Request) *chat.Response {
	answers := req.Messages[len(req.Messages)-1].Role == chat.RoleTool
	at.picks = fmt.Sprint("a prompt answers: ", answers)
	s.effect(ctx, at, s.nodes[at.path])
	said := chat.Message{Role: chat.RoleAssistant}
	if answers {
		v := s.value(at)
		said.Text = fmt.Sprintf(`{"log":[%q],"total":%d}`, v.Log[0], v.Total)
		return &chat.Response{Message: said, Finish: chat.Stop}
	}
	said.Calls = []chat.ToolCall{{ID: "call", Name: req.Tools[0].Name, Arguments: `{"n":1}`}}
	return &chat.Response{Message: said, Finish: chat.ToolCalls}
}
