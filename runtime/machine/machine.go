// Package machine is what generated code calls, and nothing else should: it may change with every release,
// together with the compiler. It gives names to package engine, which other modules cannot import.
package machine

import (
	"cmp"
	"context"
	"time"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/answer"
	"github.com/graphgen/graphgen/runtime/internal/engine"
	"github.com/graphgen/graphgen/runtime/mutation"
	"github.com/graphgen/graphgen/runtime/prompttext"
)

// SupportsGen4 is referred to by generated code, so that it builds only with a kernel that
// can run it.
const SupportsGen4 = engine.SupportsGen4

// A NodeID is the number of a node in its graph. 0 is end.
type NodeID = engine.NodeID

// End is the terminal pseudo-node.
const End = engine.End

// A TransitionID is the number of a transition from a node to the next: an edge, a label of a branch,
// an entry of transitions, a goto. The ones below are in every graph, the others in its table.
type TransitionID = engine.TransitionID

const (
	// Terminal ends the run: the node has no transition.
	Terminal = engine.Terminal
	// Exhausted ends the run: every edge of the node has been followed as often as it may.
	Exhausted = engine.Exhausted
	// NoRoute ends the run: no transition matched, and the spec has no_match: end.
	NoRoute = engine.NoRoute
	// Aborted ends the run: a failure has no failure route.
	Aborted = engine.Aborted
)

// OnMaxSteps is what happens when a run has used up its steps.
type OnMaxSteps = engine.OnMaxSteps

const (
	MaxStepsError = engine.MaxStepsError // Run returns a StepsError
	MaxStepsLast  = engine.MaxStepsLast  // Run returns what there is
	MaxStepsFlag  = engine.MaxStepsFlag  // the same, and the output has a flag for it
)

// A Graph is the static description of a generated machine. It never changes.
type Graph = engine.Graph

// Need returns the error unless a machine is given something that it is made with.
func Need(given bool, missing error) error {
	if given {
		return nil
	}
	return missing
}

// NodeInfo describes a node.
type NodeInfo = engine.NodeInfo

// TransitionInfo describes a transition.
type TransitionInfo = engine.TransitionInfo

// A Run is the record of one run of a machine: what every run needs. Generated code embeds it beside the
// state and drives it: Start, then a loop over the nodes that At selects, then Finish. Between two nodes
// it calls Follow and, where that returns false, SlowStep.
type Run = engine.Run

// Drive runs nodes by the loop of a machine until the run ends. The loop returns earlier before each step that hooks wrap,
// and it is left where a node panics: that is the failure of the node.
func Drive[M, R any](machine M, r R, run *Run, loop func(M, context.Context, R)) {
	engine.Drive(machine, r, run, loop)
}

// RunRegion runs a chain of nodes in the child run b by the loop of a machine, from the target of the transition.
func RunRegion[M, R any](machine M, r R, b *Run, loop func(M, context.Context, R), transition TransitionID) error {
	return engine.RunRegion(machine, r, b, loop, transition)
}

// A Frame holds the variables of generated code that a run uses.
type Frame = engine.Frame

// A Policy describes how a node is executed.
type Policy = engine.Policy

// Execute runs what gives the result of a node, under a policy. There is no result beside an error.
func Execute[T any](ctx context.Context, r *Run, p Policy, run func(context.Context) (T, error)) (T, error) {
	return engine.Executed(ctx, r, p, run)
}

// A Timeout is a bound of time. Only a program that makes one links what ends a context in time.
type Timeout = engine.Timeout

// TimeLimit returns the timeout that is so long.
func TimeLimit(limit time.Duration) Timeout { return engine.TimeLimit(limit) }

// A Joining determines which branches a fork waits for and what their failures do.
type Joining = engine.Joining

const (
	JoinFailFast = engine.JoinFailFast // all have to succeed; the first that fails cancels the others
	JoinAll      = engine.JoinAll      // all have to succeed; all run to their end
	JoinFirst    = engine.JoinFirst    // need successes are enough, and cancel the others
	JoinSettled  = engine.JoinSettled  // all run to their end; failures are left out, need have to succeed
)

// A Fork runs branches concurrently and waits for them. When it has ended, every branch has: no
// goroutine outlives the node.
type Fork = engine.Fork

// ForkOptions are the settings of a fork.
type ForkOptions = engine.ForkOptions

// CheckLength returns a LengthError if a list is longer than its bound.
func CheckLength(field string, is, most int) error {
	return engine.CheckLength(field, is, most)
}

// A ModelUse identifies a model that a graph calls: by its name, as the light model, or, if it
// is zero, the machine's own.
type ModelUse = engine.ModelUse

// A PromptInfo describes the texts of a node that asks a model.
type PromptInfo = prompttext.Info

// A PromptPart is a part of a prompt: the instructions, the message, or the rest that its author wrote.
type PromptPart = prompttext.Part

// A Cache holds the results of a run's cacheable nodes. The zero Cache is empty and ready.
type Cache = engine.Cache

// Cached returns the output that a node had for a key earlier in the run.
func Cached[T any](r *Run, c *Cache, node NodeID, key string) (T, bool) {
	return engine.Cached[T](r, c, node, key)
}

// Clip returns the list without the room behind its end, so that append copies it.
func Clip[S ~[]E, E any](list S) S {
	return engine.Clip[S, E](list)
}

// ClipList is Clip that also reports whether there was room.
func ClipList[S ~[]E, E any](list S) (S, bool) {
	return engine.ClipList[S, E](list)
}

// ClipEach returns the list and the lists within its elements without room behind their ends, and
// reports whether there was any. It copies the list rather than change an element of it.
func ClipEach[S ~[]E, E any](list S, clip func(E) (E, bool)) (S, bool) {
	return engine.ClipEach(list, clip)
}

// ClipMap is ClipEach for a map.
func ClipMap[M ~map[string]E, E any](m M, clip func(E) (E, bool)) (M, bool) {
	return engine.ClipMap(m, clip)
}

// ClipTo is ClipEach for a value that may be absent.
func ClipTo[T any](p *T, clip func(T) (T, bool)) (*T, bool) {
	return engine.ClipTo(p, clip)
}

// CheckChoice returns an InvalidChoiceError unless low ≤ value ≤ high.
func CheckChoice(what string, value, low, high int) error {
	return engine.CheckChoice(what, value, low, high)
}

// A Guard is the name of a guard and its result.
type Guard = engine.Guard

// IsGuardFailure reports whether err is the verdict of guards, not a failure.
func IsGuardFailure(err error) bool {
	return engine.IsGuardFailure(err)
}

// Union returns have with the elements of add that it lacks, in order. It does not change
// have.
func Union[T comparable](have []T, add ...T) []T {
	return engine.Union(have, add...)
}

// Keep returns the last elements of a list, at most the given number.
func Keep[T any](list []T, most int) []T {
	return engine.Keep(list, most)
}

// UnionMap returns a map with the entries of both; those of add win.
func UnionMap[V any](have, add map[string]V) map[string]V {
	return engine.UnionMap(have, add)
}

// Max returns the greater of two values of which either may be missing.
func Max[T cmp.Ordered](have, add *T) *T {
	return engine.Max(have, add)
}

// Min returns the lesser of two values of which either may be missing.
func Min[T cmp.Ordered](have, add *T) *T {
	return engine.Min(have, add)
}

// A Mutable describes how runs may change a graph.
type Mutable = engine.Mutable

// An Action is what a change does to the graph of its run.
type Action = mutation.Action

// An AssertionForm is a form of what a spec asserts of every run.
type AssertionForm = engine.AssertionForm

const (
	EveryPathPasses = engine.EveryPathPasses // every path to A passes B
	NoPathWithout   = engine.NoPathWithout   // no path from A to B without C
	IsReachable     = engine.IsReachable     // A is reachable
	RunsAtMost      = engine.RunsAtMost      // A runs at most Most times
)

// An Assertion is what a spec asserts of every run.
type Assertion = engine.Assertion

// NameOf returns the name of a value of a generated enum, which counts the names from 1. A value
// that is not set, or is none of the enum, has no name.
func NameOf[E ~uint8 | ~uint16](value E, names ...string) string {
	return engine.NameOf(value, names...)
}

// DynamicPrompt is the node number at which dynamic nodes of kind prompt are executed. No graph
// has a node of that number.
const DynamicPrompt = engine.DynamicPrompt

// A Question is what a node asks a person. Generated code writes it.
type Question = engine.Question

// A Saying is what a node says to observers. Generated code writes it.
type Saying = engine.Saying

// ResumeDecision resumes a run that paused at a node of a machine, with a decision. If it
// returns a ResumeError, nothing has changed.
func ResumeDecision[R any](ctx context.Context, p *graphrt.InterruptedError, machine any, at NodeID, answer answer.Decision,
	opts []graphrt.Option) (*R, error) {
	return engine.ResumeDecision[R](ctx, p, machine, at, answer, opts)
}

// ResumeInterrupt continues a run of a machine that paused between two nodes.
func ResumeInterrupt[R any](ctx context.Context, p *graphrt.InterruptedError, machine any, opts []graphrt.Option) (*R, error) {
	return engine.ResumeInterrupt[R](ctx, p, machine, opts)
}

// A Verdict is what a person decided about a call of a tool, or how a call ended that the caller of the machine made.
type Verdict = engine.Verdict

// ResumeApproval resumes a run of a machine with a verdict on a call of a tool. invalid is the reason why the
// verdict is invalid, nil if it is valid.
func ResumeApproval[R any](ctx context.Context, p *graphrt.InterruptedError, machine any, tool string, v Verdict, invalid error,
	opts []graphrt.Option) (*R, error) {
	return engine.ResumeApproval[R](ctx, p, machine, tool, v, invalid, opts)
}

// ResumeReturn resumes a run of a machine with how a call of a tool ended that the caller of the machine runs. invalid
// is the reason why the result is invalid, nil if it is valid.
func ResumeReturn[R any](ctx context.Context, p *graphrt.InterruptedError, machine any, tool string, v Verdict, invalid error,
	opts []graphrt.Option) (*R, error) {
	return engine.ResumeReturn[R](ctx, p, machine, tool, v, invalid, opts)
}

// ResumeReply resumes a run that paused at a node of a machine, with an answer. invalid is the reason why the
// answer is invalid, nil if it is valid.
func ResumeReply[R, A any](ctx context.Context, p *graphrt.InterruptedError, machine any, at NodeID, answer A, invalid error,
	opts []graphrt.Option) (*R, error) {
	return engine.ResumeReply[R](ctx, p, machine, at, answer, invalid, opts)
}

// ResumeNestedApproval is ResumeApproval for a tool of a graph that the machine runs: within has the names of the nodes
// around it.
func ResumeNestedApproval[R any](ctx context.Context, p *graphrt.InterruptedError, machine any, within, tool string, v Verdict,
	invalid error, opts []graphrt.Option) (*R, error) {
	return engine.ResumeNestedApproval[R](ctx, p, machine, within, tool, v, invalid, opts)
}

// ResumeNestedReturn is ResumeReturn for a tool of a graph that the machine runs: within has the names of the nodes around
// it.
func ResumeNestedReturn[R any](ctx context.Context, p *graphrt.InterruptedError, machine any, within, tool string, v Verdict,
	invalid error, opts []graphrt.Option) (*R, error) {
	return engine.ResumeNestedReturn[R](ctx, p, machine, within, tool, v, invalid, opts)
}

// ResumeNestedDecision is ResumeDecision for a node of a graph that the machine runs: path has the names of the
// nodes around it and its own.
func ResumeNestedDecision[R any](ctx context.Context, p *graphrt.InterruptedError, machine any, path string, answer answer.Decision,
	opts []graphrt.Option) (*R, error) {
	return engine.ResumeNestedDecision[R](ctx, p, machine, path, answer, opts)
}

// ResumeNestedReply is ResumeReply for a node of a graph that the machine runs: path has the names of the nodes
// around it and its own.
func ResumeNestedReply[R, A any](ctx context.Context, p *graphrt.InterruptedError, machine any, path string, answer A,
	invalid error, opts []graphrt.Option) (*R, error) {
	return engine.ResumeNestedReply[R](ctx, p, machine, path, answer, invalid, opts)
}

// ResumeJSON resumes a paused run of a machine with the answer to the request of that ID, in JSON.
func ResumeJSON[R any](ctx context.Context, p *graphrt.InterruptedError, machine any, id string, answer []byte, opts []graphrt.Option) (*R, error) {
	return engine.ResumeJSON[R](ctx, p, machine, id, answer, opts)
}

// IsDenied reports whether err is, or wraps, a DeniedError.
func IsDenied(err error) bool {
	return engine.IsDenied(err)
}

// IsLate reports whether err is, or wraps, a LateError.
func IsLate(err error) bool {
	return engine.IsLate(err)
}

// Stream runs a machine and yields its events as they happen, on the caller's
// goroutine. The last pair carries Run's error, if it returned one; where no run was made, it is
// the only one, and its event is that of no run. Breaking off the
// iteration cancels the run; so does a panic of the loop's body, which goes on once the
// run has ended.
func Stream(ctx context.Context, run func(context.Context, graphrt.Option) error) graphrt.Events {
	return engine.Stream(ctx, run)
}

// StreamRun is Stream of a method of a generated machine that makes a run, or goes on with one, of an argument.
func StreamRun[In, Out any](ctx context.Context, run func(context.Context, In, ...graphrt.Option) (Out, error), in In, opts []graphrt.Option) graphrt.Events {
	return engine.StreamRun(ctx, run, in, opts)
}

// StreamWith is StreamRun for a method of two arguments.
func StreamWith[A, B, Out any](ctx context.Context, run func(context.Context, A, B, ...graphrt.Option) (Out, error), a A, b B,
	opts []graphrt.Option) graphrt.Events {
	return engine.StreamWith(ctx, run, a, b, opts)
}

// StreamAnswer is StreamRun for the method Answer.
func StreamAnswer[Out any](ctx context.Context, run func(context.Context, *graphrt.InterruptedError, string, []byte,
	...graphrt.Option) (Out, error), p *graphrt.InterruptedError, id string, data []byte, opts []graphrt.Option) graphrt.Events {
	return StreamWith(ctx, func(ctx context.Context, id string, data []byte, opts ...graphrt.Option) (Out, error) {
		return run(ctx, p, id, data, opts...)
	}, id, data, opts)
}
