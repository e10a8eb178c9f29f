package pipeline

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A callMeter makes the calls of models for one answer after another: it counts them, keeps them within the budget of the run and
// reports them. While an answerScope is open, its lock guards the meter.
type callMeter struct {
	run      *engine.Run    // of the last answer
	resp     *chat.Response // the answer of the call under way, of which it is not known yet whether models around it take it
	open     bool           // a call is under way
	replaced bool           // options of the run replace texts of the prompt
	attempt  int32
	call     int32      // the number of the last call; 0: it has none
	saved    bool       // the call that is under way is none: its answer is that of another process, which reported it
	ended    int        // how many calls have ended
	used     chat.Usage // by them
	start    time.Time
	purpose  chat.Purpose
	asked    string // the model that the request names

	version string // of the prompt; empty: the request has no text of an author
	counted int    // 1 + the number of the run's count of its calls; 0: there was none since the prompt was written

	exchange origin.Exchange // of a run that reports exchanges

	first  answerScope
	scopes []answerScope // those of a tool loop, which are allocated together
}

// An answerScope is the context of one model that is to answer a request. chat.Retry and chat.Fallback call
// their models through it, whatever models are around them.
//
// It is closed once the model has answered: what a goroutine of the model sends or calls later is
// neither passed on nor counted. So no scope serves two answers.
type answerScope struct {
	Context context.Context
	mu      sync.Mutex
	meter   *callMeter // nil: the scope is closed
}

func (s *answerScope) Deadline() (time.Time, bool) { return s.Context.Deadline() }
func (s *answerScope) Done() <-chan struct{}       { return s.Context.Done() }
func (s *answerScope) Err() error                  { return s.Context.Err() }

// Value returns the scope as the caller of models.
func (s *answerScope) Value(key any) any {
	if key == (chat.CallerKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// PromptVersion returns the version of the prompt that is answered; empty: the scope is closed.
func (s *answerScope) PromptVersion() (version string) {
	s.mu.Lock()
	if s.meter != nil {
		version = s.meter.version
	}
	s.mu.Unlock()
	return version
}

// newScope returns the scope of the next answer.
func (c *callMeter) newScope(ctx context.Context) *answerScope {
	const together = 10
	l := &c.first
	if l.Context != nil {
		n := len(c.scopes)
		if n == cap(c.scopes) {
			c.scopes, n = make([]answerScope, 0, together), 0
		}
		c.scopes = c.scopes[:n+1]
		l = &c.scopes[n]
	}
	l.Context, l.meter = ctx, c
	return l
}

// under sets the version of the prompt of the next requests.
func (c *callMeter) under(version string, replaced bool) {
	c.version, c.replaced, c.counted = version, replaced, 0
}

// generate has a model answer a request, in a scope of its own.
func (c *callMeter) generate(ctx context.Context, run *engine.Run, model chat.Model, req *chat.Request, streams bool) (resp *chat.Response, err error) {
	if c.run != run {
		c.run, c.counted = run, 0
	}
	c.resp, c.open, c.attempt = nil, false, 0
	l := c.newScope(ctx)
	var stream func(chat.Delta)
	if streams && run.Settings().Observed() {
		stream = l.stream
	}
	wraps := len(run.Settings().ModelWrappers) > 0
	if !wraps {
		c.saved = isSaved(run, req)
		if err := c.begin(req, false); err != nil {
			return nil, err
		}
	}
	defer func() {
		run.Graph().Caught(recover(), &err)
		if wraps {
			l.close(nil, nil) // a wrapper has not waited for the call
		} else {
			l.close(resp, err)
		}
	}()
	if !wraps {
		return l.send(l, run, model, req, stream)
	}
	return callModel(l, run.Settings().WrapModel(chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		return l.wrapped(ctx, run, model, req, stream)
	})), req, stream)
}

// callModel calls a model, whose answer and error may be of foreign code: they are given a form that can be saved and reported.
func callModel(ctx context.Context, m chat.Model, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	resp, err := m.Generate(ctx, req, stream)
	if resp != nil {
		resp = proper(resp)
	}
	return resp, errtree.Sound(err)
}

// close ends the call that is under way, if there is one, and closes the scope.
func (s *answerScope) close(resp *chat.Response, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meter.end(resp, err)
	s.meter = nil
}

// wrapped calls the model of the node within wrappers.
func (s *answerScope) wrapped(ctx context.Context, run *engine.Run, m chat.Model, req *chat.Request, stream func(chat.Delta)) (resp *chat.Response, err error) {
	if err := s.beginCall(req, isSaved(run, req), false); err != nil {
		return nil, err
	}
	defer func() {
		run.Graph().Caught(recover(), &err)
		s.endCall(resp, err)
	}()
	return s.send(ctx, run, m, req, stream)
}

// isSaved reports whether the answer of the next call is saved in the run's thread.
func isSaved(run *engine.Run, req *chat.Request) bool {
	t := run.Thread()
	return t != nil && t.Saved(run, req)
}

// send calls the model of the node, or repeats its answer.
func (s *answerScope) send(ctx context.Context, run *engine.Run, m chat.Model, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	if t := run.Thread(); t != nil {
		return t.Model(ctx, run, req, s, func() (*chat.Response, error) { return callModel(ctx, m, req, stream) })
	}
	return callModel(ctx, m, req, stream)
}

// Calls implements engine.Counter.
func (s *answerScope) Calls() (n int, used chat.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.meter
	if w == nil {
		return 0, used
	}
	if n = w.ended; w.open {
		n++
	}
	return n, w.used
}

// Repeat implements engine.Counter.
func (s *answerScope) Repeat(n int, used chat.Usage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; n > 0 && s.meter != nil; n-- {
		if err := s.meter.run.Agent().ReserveCall(s.meter.saved); err != nil {
			return err
		}
		s.meter.counts(&used)
		used = chat.Usage{}
	}
	return nil
}

// Number implements engine.Counter.
func (s *answerScope) Number() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.meter == nil {
		return 0
	}
	return int(s.meter.call)
}

// Numbered implements engine.Counter.
func (s *answerScope) Numbered(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.meter != nil {
		s.meter.call = int32(number)
	}
}

// Call calls a model within another one. The first of these calls counts as the call of the outer model.
func (s *answerScope) Call(ctx context.Context, m chat.Model, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	if err := s.beginCall(req, false, engine.IsPaidFor(ctx)); err != nil {
		return nil, err
	}
	resp, err := callModel(ctx, m, req, stream)
	if err != nil {
		s.endCall(resp, err)
	} else {
		s.keepAnswer(resp)
	}
	return resp, err
}

// beginCall begins a call, unless one is under way that has no answer yet, or the scope is closed.
func (s *answerScope) beginCall(req *chat.Request, saved, paid bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.meter == nil {
		return nil
	}
	s.meter.saved = saved
	return s.meter.begin(req, paid)
}

// keepAnswer keeps the answer of the call that is under way, unless the scope is closed.
func (s *answerScope) keepAnswer(resp *chat.Response) {
	s.mu.Lock()
	if w := s.meter; w != nil && w.open {
		w.resp = resp
	}
	s.mu.Unlock()
}

// endCall ends the call that is under way, unless the scope is closed.
func (s *answerScope) endCall(resp *chat.Response, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.meter != nil {
		s.meter.end(resp, err)
	}
}

// stream passes on a piece of the answer, unless the scope is closed.
func (s *answerScope) stream(d chat.Delta) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.meter != nil {
		s.meter.run.Agent().StreamDelta(int(s.meter.call), d)
	}
}

// begin begins a call, unless one is under way that has no answer yet. One that is paid for was made elsewhere, and counts whether or not the budget has it.
func (c *callMeter) begin(req *chat.Request, paid bool) error {
	if c.open {
		if c.resp == nil {
			return nil
		}
		c.end(c.resp, nil)
	}
	if paid {
		c.run.Agent().HoldCall()
	} else if err := c.run.Agent().ReserveCall(c.saved); err != nil {
		return err
	}
	if c.open = true; c.purpose != req.Purpose {
		c.purpose, c.counted = req.Purpose, 0
	}
	if c.run.Agent().IsTimed() {
		c.start, c.asked = c.run.Settings().Now(), req.Model
		c.attempt++
	}
	if !c.saved {
		c.call = int32(c.run.Agent().NextCall())
	}
	if c.run.Settings().Observed() && !c.saved {
		m := &graphgen.ModelEvent{Call: int(c.call), Name: req.Model, Purpose: c.purpose, Prompt: c.version, Attempt: int(c.attempt)}
		if keeps := c.run.Settings().Exchanges(); keeps != nil {
			if c.exchange == nil {
				c.exchange = keeps()
			}
			var sent *chat.Request
			sent, m.Continues, m.Same = c.exchange.Sends(m.Call, req)
			m.Origin = origin.To(sent)
		}
		c.run.Agent().Emit(graphgen.Event{Kind: graphgen.ModelStart, Time: c.start, Details: origin.Details{More: m}})
	}
	return nil
}

// end ends the call that is under way, if there is one, and counts what it used.
func (c *callMeter) end(resp *chat.Response, err error) {
	if !c.open {
		return
	}
	if resp == nil {
		resp = c.resp
	}
	c.open, c.resp = false, nil
	var used chat.Usage
	if resp != nil {
		used = resp.Usage
	}
	c.counts(&used)
	if c.run.Agent().IsTimed() {
		c.reports(resp, &used, err)
	}
}

// counts counts a call.
func (c *callMeter) counts(used *chat.Usage) {
	c.run.Agent().CountCall(used, c.saved)
	c.ended, c.used = c.ended+1, c.used.Add(*used)
	switch {
	case c.counted > 0:
		c.run.Agent().CountPromptAgain(c.counted - 1)
	case c.version != "":
		c.counted = 1 + c.run.Agent().CountPrompt(c.purpose, c.version, c.replaced)
	}
}

// reports reports the end of a call.
func (c *callMeter) reports(resp *chat.Response, used *chat.Usage, err error) {
	now := c.run.Settings().Now()
	m := &graphgen.ModelEvent{
		Call: int(c.call), Purpose: c.purpose, Prompt: c.version, Attempt: int(c.attempt), Usage: *used, Latency: now.Sub(c.start),
	}
	if resp != nil {
		m.Name, m.ID, m.Finish = resp.Model, resp.ID, resp.Finish
	}
	if c.run.Agent().KeepsDetails() {
		c.run.Agent().DetailCall(&graphgen.ModelCall{
			Attempt: m.Attempt, Model: cmp.Or(m.Name, c.asked), Purpose: m.Purpose, Prompt: m.Prompt, Finish: m.Finish,
			Usage: m.Usage, Latency: m.Latency, Err: err,
		})
	}
	if c.saved {
		return
	}
	if resp != nil && err == nil && c.run.Settings().Exchanges() != nil {
		m.Origin = origin.To(resp)
	}
	c.run.Agent().Emit(graphgen.Event{Kind: graphgen.ModelEnd, Time: now, Err: err, Details: origin.Details{More: m}})
}

// proper returns an answer in the form that conversations need: of the assistant, and with
// calls that have distinct IDs. Providers refuse a conversation with any other, and one without a role has no JSON.
func proper(resp *chat.Response) *chat.Response {
	m := &resp.Message
	distinct := areDistinct(m.Calls)
	if m.Role == chat.RoleAssistant && distinct && (m.Text == "" || utf8.ValidString(m.Text)) {
		return resp
	}
	mended := *resp // others may share it
	mended.Message.Role = chat.RoleAssistant
	mended.Message.Text = strings.ToValidUTF8(m.Text, "\ufffd") // or nothing that holds it had a JSON
	if !distinct {
		mended.Message.Calls = distinctCalls(m.Calls)
	}
	return &mended
}

// fewCalls is up to how many calls are compared pairwise; more need a set.
const fewCalls = 16

func areDistinct(calls []chat.ToolCall) bool {
	if len(calls) > fewCalls {
		seen := make(map[string]bool, len(calls))
		for i := range calls {
			seen[calls[i].ID] = true
		}
		return len(seen) == len(calls) && !seen[""]
	}
	for i := range calls {
		if calls[i].ID == "" {
			return false
		}
		for j := range i {
			if calls[j].ID == calls[i].ID {
				return false
			}
		}
	}
	return true
}

// distinctCalls gives an ID to each call that has none, or the ID of an earlier call.
func distinctCalls(calls []chat.ToolCall) []chat.ToolCall {
	calls = slices.Clone(calls)
	taken := make(map[string]bool, len(calls))
	for i := range calls {
		taken[calls[i].ID] = true
	}
	seen := make(map[string]bool, len(calls))
	next := 0
	for i := range calls {
		id := calls[i].ID
		for id == "" || seen[id] || id != calls[i].ID && taken[id] {
			next++
			id = "call_" + strconv.Itoa(next)
		}
		seen[id], calls[i].ID = true, id
	}
	return calls
}
