package river

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	queue "github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// MaxInput is how many bytes of JSON an input or an answer may have: jobs are rows that River reads and writes often. Keep what is larger elsewhere, and
// give its key.
const MaxInput = 256 << 10

// An Inserter inserts jobs. Each method returns when the job is committed, or, of [Queue.In], when it is in the transaction.
type Inserter struct {
	q  *Queue
	tx pgx.Tx // nil: a transaction of its own
}

// In returns what inserts jobs in a transaction: of the program, or of a node with transaction: true, by postgres.Tx.
func (q *Queue) In(tx pgx.Tx) Inserter { return Inserter{q, tx} }

// A Job is a job that is in the queue.
type Job struct {
	ID     int64
	Thread string
	Run    string // of a start: the ID of the run
	Known  bool   // it was in the queue already
}

// An Order is a run that is to begin.
type Order struct {
	Graph  string // its name in the spec
	Thread string
	Input  any // a generated input, or json.RawMessage: what encoding/json makes JSON of

	// Run is the ID of the run; empty: a random one. A second order with it begins nothing.
	Run string

	// Machine, where this process has it, refuses an input that is not one of the graph, and a graph with secret fields. Nil: an input that is not
	// valid is a dead letter.
	Machine *Machine

	Priority int       // 1 is the highest and the default, 4 the lowest
	At       time.Time // the earliest time; zero: immediately
}

// Start inserts a job that begins a run. While a job of another run of the thread is to start, the error is a *BusyError; with the same ID, the Job is the one
// that is there.
func (i Inserter) Start(ctx context.Context, o Order) (Job, error) {
	input, err := encoded(o.Thread, o.Input)
	if err != nil {
		return Job{}, err
	}
	if o.Machine != nil {
		if err := cmp.Or(o.Machine.knows(o.Graph), o.Machine.reads(input)); err != nil {
			return Job{}, err
		}
	}
	if o.Run == "" {
		o.Run = rand.Text()
	}
	args := startArgs{Subject: i.about(o.Graph, o.Thread), Run: o.Run, Input: string(input)}
	job, row, err := i.insert(ctx, args, o.Thread, o.Priority, o.At)
	if job.Run = o.Run; err != nil || !job.Known {
		return job, err
	}
	var there startArgs
	if err := json.Unmarshal(row.EncodedArgs, &there); err != nil {
		return Job{}, err
	}
	if there.Run != o.Run || there.Graph != o.Graph {
		return Job{}, &BusyError{Thread: o.Thread, Run: there.Run, Job: row.ID}
	}
	return job, nil
}

// A Reply is an answer of a person to a request, or the result of a tool of a client.
type Reply struct {
	Graph   string // its name in the spec
	Thread  string
	Request string // its ID
	Answer  any    // JSON as graphgen.AnswerJSON takes it, of what encoding/json makes it
	By      string // who answers; empty: not known
	Note    string // for the record of the node, as of graphgen.AnswerNote

	// Machine, where this process has it, refuses an answer that is not valid with the error of Resume, unless something holds the thread; it reads what is
	// committed. Nil: an answer that is not valid is a dead letter.
	Machine *Machine

	Priority int // as of an Order
}

// Answer inserts a job that answers a request. While another answer to the request is in the queue, the error is a *BusyError.
func (i Inserter) Answer(ctx context.Context, r Reply) (Job, error) {
	answer, err := encoded(r.Thread, r.Answer)
	if err != nil {
		return Job{}, err
	}
	if r.Machine != nil {
		if err := r.Machine.knows(r.Graph); err != nil {
			return Job{}, err
		}
		if err := r.Machine.fits(ctx, r.Thread, r.Request, answer); err != nil && !is[*thread.HeldError](err) {
			return Job{}, err
		}
	}
	args := answerArgs{Subject: i.about(r.Graph, r.Thread), Request: r.Request, By: r.By, Note: r.Note, Answer: string(answer)}
	job, row, err := i.insert(ctx, args, r.Thread, r.Priority, time.Time{})
	if err != nil || !job.Known {
		return job, err
	}
	return Job{}, &BusyError{Thread: r.Thread, Request: r.Request, Job: row.ID}
}

// Recover inserts a job that continues the run of a thread after the last step that was saved, also one that failed or was stopped. If one is in the queue, it
// is that one.
func (i Inserter) Recover(ctx context.Context, graph, thread string) (Job, error) {
	job, _, err := i.insert(ctx, recoverArgs{Subject: i.about(graph, thread), Ended: true}, thread, 0, time.Time{})
	return job, err
}

// about returns the part of the arguments that all jobs have.
func (i Inserter) about(graph, thread string) Subject {
	return Subject{Graph: graph, Thread: thread, Tenant: i.q.o.Tenant(thread)}
}

// encoded returns JSON of a value, within the bound. JSON that is given is left as it is.
func encoded(thread string, v any) ([]byte, error) {
	data, given := v.([]byte)
	if raw, ok := v.(json.RawMessage); ok {
		data, given = raw, true
	}
	if !given || !json.Valid(data) {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if given {
			v = json.RawMessage(data)
		}
		if err := e.Encode(v); err != nil {
			return nil, err
		}
		data = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	}
	if len(data) > MaxInput {
		return nil, &SizeError{Thread: thread, Bytes: len(data)}
	}
	return data, nil
}

// living are the states of jobs that are not done: of a key, one job is in them.
var living = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// insert inserts a job, unless one of the same key is there: then it returns that one.
func (i Inserter) insert(ctx context.Context, args queue.JobArgs, name string, priority int, at time.Time) (Job, *rivertype.JobRow, error) {
	if err := thread.CheckName(name); err != nil {
		return Job{}, nil, err
	}
	o := &queue.InsertOpts{
		Priority: priority, ScheduledAt: at, Queue: i.q.o.Queue(name),
		UniqueOpts: queue.UniqueOpts{ByArgs: true, ByState: living},
	}
	var r *rivertype.JobInsertResult
	var err error
	if i.tx != nil {
		r, err = i.q.client.InsertTx(ctx, i.tx, args, o)
	} else {
		r, err = i.q.client.Insert(ctx, args, o)
	}
	if err != nil {
		return Job{}, nil, err
	}
	return Job{ID: r.Job.ID, Thread: name, Known: r.UniqueSkippedAsDuplicate}, r.Job, nil
}

// A Subject is what a job is about: the arguments that the jobs of every kind have, at the top of their JSON.
type Subject struct {
	Graph  string `json:"graph"`
	Thread string `json:"thread" river:"unique"`
	Tenant string `json:"tenant,omitempty"`
}

// Inputs and answers are JSON in a text: as values, Postgres would change their spaces, the order of their keys and the form of numbers, which models may
// see, and refuse the character 0.

type startArgs struct {
	Subject
	Run   string `json:"run"`
	Input string `json:"input"`
}

type answerArgs struct {
	Subject
	Request string `json:"request" river:"unique"`
	By      string `json:"by,omitempty"`
	Note    string `json:"note,omitempty"`
	Answer  string `json:"answer"`
}

type recoverArgs struct {
	Subject
	Ended bool `json:"ended,omitempty" river:"unique"` // it continues also a run that failed or was stopped
}

type deadlineArgs struct {
	Subject
	Request string `json:"request" river:"unique"`
	At      string `json:"at" river:"unique"` // the deadline, RFC 3339
}

// The kinds of jobs.
const (
	kindStart    = "graphgen.start"
	kindAnswer   = "graphgen.answer"
	kindRecover  = "graphgen.recover"
	kindDeadline = "graphgen.deadline"
)

var kinds = []string{kindStart, kindAnswer, kindRecover, kindDeadline}

func (startArgs) Kind() string    { return kindStart }
func (answerArgs) Kind() string   { return kindAnswer }
func (recoverArgs) Kind() string  { return kindRecover }
func (deadlineArgs) Kind() string { return kindDeadline }

// hasDeadline reports whether a thread waits for an answer that can be late.
func hasDeadline(h *thread.Head) bool {
	if h.Status != thread.Paused {
		return false
	}
	info, err := durable.InfoOf(h)
	if err != nil {
		return true // its error is the one of the append
	}
	for i := range info.Requests {
		if !info.Requests[i].Deadline.IsZero() {
			return true
		}
	}
	return false
}

// insertDeadlines inserts the jobs of the deadlines of a thread that waits.
func (q *Queue) insertDeadlines(ctx context.Context, tx pgx.Tx, h *thread.Head) error {
	info, err := durable.InfoOf(h)
	if err != nil {
		return err
	}
	in := q.In(tx)
	for i := range info.Requests {
		r := &info.Requests[i]
		if r.Deadline.IsZero() {
			continue
		}
		args := deadlineArgs{Subject: in.about(h.Graph, h.Thread), Request: r.ID, At: r.Deadline.UTC().Format(time.RFC3339Nano)}
		if _, _, err := in.insert(ctx, args, h.Thread, 0, r.Deadline.Add(time.Millisecond)); err != nil {
			return err
		}
	}
	return nil
}

// A BusyError is the error of a job that is refused, as another one about the same is in the queue. It has changed nothing. Wait until that job is
// done, or cancel it.
type BusyError struct {
	Thread  string
	Run     string // that the other job starts
	Request string // that the other job answers
	Job     int64  // its ID
}

func (e *BusyError) Error() string {
	what := "is to start run " + strconv.Quote(e.Run)
	if e.Request != "" {
		what = "has an answer to request " + strconv.Quote(e.Request)
	}
	return "thread " + strconv.Quote(e.Thread) + ": job " + strconv.FormatInt(e.Job, 10) + " " + what + " already"
}

// A SizeError is the error of a job with an input or an answer of more than MaxInput bytes of JSON. Keep it elsewhere, and give its key.
type SizeError struct {
	Thread string
	Bytes  int
}

func (e *SizeError) Error() string {
	return "thread " + strconv.Quote(e.Thread) + ": " + strconv.Itoa(e.Bytes) + " bytes of JSON are too many for a job, which takes " + strconv.Itoa(MaxInput)
}
