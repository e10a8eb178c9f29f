package engine

import (
	"context"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/optionset"
)

// A Thread saves the runs of a tree. Its methods may be called concurrently, for different runs. It embeds Threaded.
type Thread interface {
	threaded

	// Name returns the name of the thread.
	Name() string
	// Made returns the number of the last record that was made; 0: none was.
	Made() int
	// Driven reports whether another engine may drive the runs: the thread starts no goroutine, and waits for none.
	Driven() bool
	// Replays reports whether a run is made only for what is saved of it, such as its pause. All calls that it has made are saved: budgets that runs share
	// have counted them, and no model is asked.
	Replays() bool
	// Seals reports whether the thread keeps fields secret.
	Seals() bool
	// Applied returns the options of the run.
	Applied() *Applied
	// Sets sets what the thread determines of the settings of the run.
	Sets(s *optionset.Settings)
	// Observer returns what observes the outermost run besides the observers of options, nil if nothing does.
	Observer() func(graphgen.Event)
	// Step saves a run at a boundary. An error ends the run: the step is not saved.
	Step(r *Run, b Boundary) error
	// Failed saves that a branch has failed, while others continue.
	Failed(b *Run) error
	// Begins notes that a child run begins, where an earlier iteration of its parent is saved. That is saved with the next
	// record of any run, together with the iteration of the parent. loop is the parent where its current node is a loop, else nil.
	Begins(r *Run, b Boundary, loop *Run)
	// Within notes that a child run of the current node begins, in its first attempt or a later one. That is saved with the
	// next step of any run.
	Within(r *Run)
	// Adopt loads what was saved of a run that begins, and reports whether there was something.
	Adopt(r *Run) (bool, error)
	// LastCall returns the highest number that a call of a model has had in the run, as far as it is saved.
	LastCall() int
	// Saved reports whether the answer of the next call of a model in the step is saved, so that Model makes no call.
	Saved(r *Run, req *chat.Request) bool
	// Model calls a model, unless the call ended in this step before its process did. Then it counts the calls that the other process
	// has made for it. It repeats no judgement of another text.
	Model(ctx context.Context, r *Run, req *chat.Request, count Counter, call func() (*chat.Response, error)) (*chat.Response, error)
	// SavedTool reports whether the result of a call of the turn is saved, so that Tool does not make it.
	SavedTool(r *Run, number int) bool
	// Tool makes a call of a turn, unless it ended in this step before its process did.
	Tool(ctx context.Context, r *Run, number int, call func() (chat.ToolResult, error)) (chat.ToolResult, error)
	// Once calls a part of a handler, unless it gave a result in this step before its process ended.
	Once(r *Run, name string, call func() ([]byte, error)) ([]byte, error)
	// Asks completes a request that was open when the run was saved: its deadline.
	Asks(q *graphgen.Request)
	// Decided returns the answer to a request that the run uses only later, in the same step; nil: it has none.
	Decided(id string) *Decided
	// Answered notes that a request has its answer.
	Answered(id string, d Decided) error
	// Abandoned gives up the thread: the goroutine of the call has ended during a step.
	Abandoned()
	// Stopping reports whether the stop of the thread is requested.
	Stopping() bool
	// Stopper returns what wakes those that wait when it is requested.
	Stopper() *graphgen.Stopper
	// Ended saves the end of the outermost run, or that it waits. It returns the error of the run.
	Ended(r *Run, err error) error
}

// A Counter counts the calls of the models that a call is made of, such as the attempts of chat.Retry.
type Counter interface {
	// Calls returns how many calls there were, with the one that is under way, and what those that have ended have used.
	Calls() (n int, used chat.Usage)
	// Repeat counts calls that another process has made. It fails where the budget does not have them.
	Repeat(n int, used chat.Usage) error
	// Number returns the number of the last call in its run.
	Number() int
	// Numbered gives the last call the number that it had in another process.
	Numbered(number int)
}

// Decided is what a person has decided.
type Decided struct {
	Verdict
	Late time.Time // the deadline that had passed; zero: it had not
}

// A Boundary is a place between two nodes: where a run continues after an interrupt, or in another process.
type Boundary struct {
	By    TransitionID // the transition
	To    NodeID
	After bool // the transition is not taken yet
}

// late returns the error of an answer that came too late, else nil.
func (d *Decided) late() error {
	if d.Late.IsZero() {
		return nil
	}
	return &graphgen.LateError{Deadline: d.Late}
}

// reason returns why the answer is not a yes, nil if it is one.
func (d *Decided) reason() error {
	if err := d.late(); err != nil {
		return err
	}
	if d.Decision == graphgen.Deny {
		return &graphgen.DeniedError{}
	}
	return nil
}
