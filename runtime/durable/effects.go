package durable

import (
	"context"
	"errors"
	"strconv"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/caught"
	"github.com/graphgen/graphgen/internal/failure"
	"github.com/graphgen/graphgen/internal/prompttext"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

// A call of a model or a tool is saved under the attempt at its node and its number, so that a process which executes
// a step again finds every call that has ended. One that failed is saved too, with the call after it: its attempt
// fails again instead of making it, and the next attempt finds its own.

// LastCall implements engine.Thread.
func (s *session) LastCall() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.calls
}

// noteNumber notes the number of a call. It is saved with the next record.
func (s *session) noteNumber(call int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.calls = max(s.log.calls, call)
	s.next.calls = s.log.calls
}

// Saved implements engine.Thread.
func (s *session) Saved(r *engine.Run, req *chat.Request) bool {
	v, key := s.nextCall(r)
	if key == "" || judged(req) == "" {
		return key != ""
	}
	var said response
	known, err := s.recall(v, key, codec.Into(&said, structReader[response]("the answer of a model")))
	return known && err == nil && s.answers(&said, req)
}

// nextCall returns what is saved of a run, and the key of its next call of a model; empty: that is not saved.
func (s *session) nextCall(r *engine.Run) (v *saved, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v = s.log.of(r.Saved().Place())
	v.turn(r)
	if key = v.modelKey(v.calls + 1); v.effects[key] == nil {
		return v, ""
	}
	return v, key
}

// judged is a hash of what a model is asked to judge; empty: it is asked for something else. A node that is executed again may give another output,
// which the judgement of the first one is not about.
func judged(req *chat.Request) string {
	if req.Purpose != chat.Evaluate && req.Purpose != chat.Judge || len(req.Messages) == 0 {
		return ""
	}
	return prompttext.Hash(req.Messages[len(req.Messages)-1].Text)
}

// answers reports whether a saved answer is about a request.
func (s *session) answers(said *response, req *chat.Request) bool {
	return said.judged == "" || said.judged == judged(req) || s.is(replaying)
}

// Model implements engine.Thread.
func (s *session) Model(
	ctx context.Context, r *engine.Run, req *chat.Request, count engine.Counter, call func() (*chat.Response, error),
) (*chat.Response, error) {
	v, key := s.beginCall(r)
	var said response
	switch known, err := s.recall(v, key, codec.Into(&said, structReader[response]("the answer of a model"))); {
	case err != nil:
		return nil, err
	case known && s.answers(&said, req):
		if err := count.Repeat(said.others, said.used); err != nil {
			return nil, err
		}
		if count.Numbered(said.call); said.failure != nil {
			return said.spent(), said.err(r)
		}
		return &said.Response, nil
	}
	said = response{judged: judged(req)}
	before, used := count.Calls()
	given, err := call()
	said.call = count.Number()
	s.noteNumber(said.call)
	after, all := count.Calls()
	if after > before {
		said.others, said.used = after-before, less(all, used)
	}
	switch {
	case err != nil:
		if said.takes(ctx, r, err) {
			if after == before {
				said.Usage = failedUsage(given, less(all, used))
			}
			if given != nil {
				said.Model, said.ID = given.Model, given.ID
			}
			s.addFailure(r.Saved().Place(), key, codec.Of(said, structWriter[response]))
		}
		return given, err
	case given == nil:
		return nil, nil
	}
	said.Response = *given
	return given, s.remember(r.Saved().Place(), key, codec.Of(said, structWriter[response]))
}

// failedUsage returns what a call has used that failed: what was counted by its end, or, where the end is yet to be counted, what its
// answer has.
func failedUsage(given *chat.Response, counted chat.Usage) chat.Usage {
	if counted == (chat.Usage{}) && given != nil {
		return given.Usage
	}
	return counted
}

// less returns what was used of a sum since it was another one.
func less(sum, since chat.Usage) chat.Usage {
	return chat.Usage{
		Input: sum.Input - since.Input, Output: sum.Output - since.Output, Reasoning: sum.Reasoning - since.Reasoning,
		CacheRead: sum.CacheRead - since.CacheRead, CacheWrite: sum.CacheWrite - since.CacheWrite, Cost: max(sum.Cost-since.Cost, 0),
	}
}

// beginCall returns what is saved of a run, and the key of its next call of a model.
func (s *session) beginCall(r *engine.Run) (*saved, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.log.of(r.Saved().Place())
	v.turn(r)
	v.calls++
	return v, v.modelKey(v.calls)
}

// modelKey is the key of the call of a model that has a number in the attempt.
func (v *saved) modelKey(number int) string { return "model." + v.tried() + strconv.Itoa(number) }

// tried identifies the attempt and the iteration of a run in keys.
func (v *saved) tried() string {
	return strconv.Itoa(v.try[0]) + "." + strconv.Itoa(v.try[1]) + "."
}

// SavedTool implements engine.Thread.
func (s *session) SavedTool(r *engine.Run, number int) bool {
	v, key := s.toolKey(r, number)
	s.mu.Lock()
	defer s.mu.Unlock()
	return v.effects[key] != nil
}

// toolKey returns what is saved of a run, and the key of a call of its turn.
func (s *session) toolKey(r *engine.Run, number int) (*saved, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.log.of(r.Saved().Place())
	v.turn(r)
	return v, "tool." + v.tried() + strconv.Itoa(number)
}

// Tool implements engine.Thread. An error that is sent to the model is a result.
func (s *session) Tool(ctx context.Context, r *engine.Run, number int, call func() (chat.ToolResult, error)) (chat.ToolResult, error) {
	v, key := s.toolKey(r, number)
	var given toolResult
	switch known, err := s.recall(v, key, codec.Into(&given, structReader[toolResult]("the result of a tool"))); {
	case err != nil:
		return chat.ToolResult{}, err
	case known && given.failure != nil:
		return chat.ToolResult{}, given.err(r)
	case known:
		return given.ToolResult, nil
	}
	result, err := call()
	if given.ToolResult = result; err != nil && !given.takes(ctx, r, err) {
		return result, err
	}
	saved := codec.Of(given, structWriter[toolResult])
	if err != nil && isFatal(err) {
		s.addFailure(r.Saved().Place(), key, saved)
	} else if problem := s.remember(r.Saved().Place(), key, saved); problem != nil {
		return result, problem
	}
	return result, err
}

// Once implements engine.Thread.
func (s *session) Once(r *engine.Run, name string, call func() ([]byte, error)) ([]byte, error) {
	s.mu.Lock()
	v := s.log.of(r.Saved().Place())
	v.turn(r)
	key := "once." + strconv.Itoa(v.try[1]) + "." + name // as the idempotency key, it has no attempt
	s.mu.Unlock()
	var given []byte
	if known, err := s.recall(v, key, codec.Into(&given, codec.ReadBytes)); known || err != nil {
		return given, err
	}
	given, err := call()
	if err != nil {
		return given, err
	}
	return given, s.remember(r.Saved().Place(), key, codec.Of(given, codec.WriteBytes))
}

// recall returns what an effect gave in the current step, in an earlier process.
func (s *session) recall(v *saved, key string, into codec.Unmarshaler) (bool, error) {
	s.mu.Lock()
	data, known := v.effects[key]
	replays := s.is(replaying)
	s.mu.Unlock()
	if !known {
		if replays {
			return false, s.fail(errMoved)
		}
		return false, nil
	}
	if err := codec.Unmarshal(data, into); err != nil {
		return false, &thread.StoreError{Thread: s.id, Err: err}
	}
	return true, nil
}

// remember saves what an effect has given.
func (s *session) remember(place, key string, given codec.Marshaler) error {
	return s.save(func() error {
		if err := s.addEffect(place, key, given); err != nil {
			return err
		}
		return s.flushStep()
	})
}

// addFailure saves that a call has failed, together with what is saved next: before that, no attempt depends on it.
func (s *session) addFailure(place, key string, given codec.Marshaler) {
	s.locked(func() error { return s.addEffect(place, key, given) }) // an error stays in s
}

func (s *session) addEffect(place, key string, given codec.Marshaler) error {
	data, err := codec.Marshal(given)
	if s.waits(place); err != nil {
		return s.fail(err)
	}
	s.log.of(place).effects[key] = data
	s.next.effects = append(s.next.effects, effect{place, key, data})
	return nil
}

// response is the answer of a model, or how the call failed.
type response struct {
	chat.Response
	failed
	call   int        // its number in the run; 0: it is of an earlier release
	others int        // calls that were made for it, such as the attempts of chat.Retry before the last one
	used   chat.Usage // by them
	judged string     // see [judged]; empty, too: it is of an earlier release
}

// spent returns what a call has used that failed, and its model, nil if nothing of that is known.
func (v *response) spent() *chat.Response {
	if v.Usage == (chat.Usage{}) && v.Model == "" && v.ID == "" {
		return nil
	}
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant}, Usage: v.Usage, Model: v.Model, ID: v.ID}
}

func (v *response) JSONMembers(o *codec.Object) {
	var message *chat.Message
	if v.failure == nil {
		message = &v.Message
	}
	if codec.OptionalMember(o, "message", &message, chatjson.DecodeMessage, chatjson.EncodeMessage); message != nil {
		v.Message = *message
	}
	codec.SparseMember(o, "finish", (*string)(&v.Finish), codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "usage", &v.Usage, chatjson.DecodeUsage, chatjson.EncodeUsage)
	codec.SparseMember(o, "model", &v.Model, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "id", &v.ID, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "call", &v.call, codec.ReadInt, codec.WriteInt)
	codec.SparseMember(o, "others", &v.others, codec.ReadInt, codec.WriteInt)
	codec.SparseMember(o, "judged", &v.judged, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "others_used", &v.used, chatjson.DecodeUsage, chatjson.EncodeUsage)
	v.failed.members(o)
}

// toolResult is the result of a call of a tool, or how the call failed.
type toolResult struct {
	chat.ToolResult
	failed
}

func (v *toolResult) JSONMembers(o *codec.Object) {
	chatjson.TextMember(o, "text", &v.Text)
	codec.SparseListMember(o, "media", &v.Media, chatjson.DecodeMedia, chatjson.EncodeMedia)
	v.failed.members(o)
}

// failed is how a call failed.
type failed struct {
	failure *failure.Failure // nil: it has not
	late    bool             // the attempt at the node had taken too long
}

func (f *failed) members(o *codec.Object) {
	codec.OptionalMember(o, "error", &f.failure, failure.Read, failure.Write)
	codec.SparseMember(o, "late", &f.late, codec.ReadBool, codec.WriteBool)
}

// takes takes the error of a call, and reports whether it is one that the call would have again: not if what ended it is
// around the node.
func (f *failed) takes(ctx context.Context, r *engine.Run, err error) (takes bool) {
	defer func() {
		if v := recover(); v != nil { // of a method of the error
			var problem error
			caught.Value(v, &problem)
			f.failure, takes = failure.Of(problem), true
		}
	}()
	late := r.Saved().Late()
	switch f.late = ctx.Err() != nil && late != nil && context.Cause(ctx) == error(late); {
	case f.late:
	case ctx.Err() != nil, r.IsCancelled(), engine.IsOverBudget(err), errors.Is(err, context.Canceled):
		return false
	}
	f.failure = failure.Of(err)
	return true
}

// err returns the error with which the call failed.
func (f *failed) err(r *engine.Run) error {
	if late := r.Saved().Late(); f.late && late != nil {
		return late
	}
	return f.failure.Err()
}

// isFatal reports whether the error of a call is the failure of its node: its model is not sent it.
func isFatal(err error) bool {
	f, ok := errors.AsType[interface {
		error
		Fatal() bool
	}](err)
	return ok && f.Fatal()
}
