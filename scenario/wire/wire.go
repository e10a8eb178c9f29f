// Package wire holds the JSON messages between graphgen test and the binary it builds: which
// scenarios to run, and what happened. Names of the spec are resolved before:
// values are keyed by Go field names, enums and choices are numbers.
package wire

import "encoding/json"

// Environment variables that name the files of the plan and of the results.
const (
	PlanVariable    = "GRAPHGEN_SCENARIOS"
	ResultsVariable = "GRAPHGEN_RESULTS"
	BrokenVariable  = "GRAPHGEN_BROKEN" // a method that panics, of all scripted errors: for tests of the runtime
)

// A Value is a Go value as JSON: a struct is an object by Go field names, in which absent
// fields are zero; an enum is the number of its value, 0 for none; an absent optional is
// null. A float that JSON cannot write is a string. A time is a string as of RFC 3339 in UTC, a
// duration its nanoseconds, bytes are a string in base64, and a union is an object whose one
// member is the variant, by its Go name. Raw JSON, and a Go type with codec methods of its
// own, are strings of JSON without white space, keys in order.
type Value = json.RawMessage

// A Scenario is one scenario to run.
type Scenario struct {
	ID     int                     `json:"id"`
	Graph  string                  `json:"graph"` // base name of the spec file
	Name   string                  `json:"name"`
	Input  Value                   `json:"input,omitempty"`
	Script map[string]Steps[Entry] `json:"script,omitempty"` // by node
	Merges map[string]string       `json:"merges,omitempty"` // rules instead of custom ones, by field

	// Of graphs that run others: the graph's name, which nodes run which, and these.
	Root   string            `json:"root"`
	Subs   map[string]string `json:"subs,omitempty"`
	Nested map[string]Graph  `json:"nested,omitempty"` // by name

	// Places has the positions of the nodes that run in branches.
	Places map[string]Place `json:"places,omitempty"`

	Cancelled bool   `json:"cancelled,omitempty"` // the context is cancelled before the run
	Stopped   bool   `json:"stopped,omitempty"`   // a stop is requested before the run
	Deadline  int64  `json:"deadline,omitempty"`  // of the caller's context, in nanoseconds
	Hooks     []Hook `json:"hooks,omitempty"`

	Agents map[string]Agent            `json:"agents,omitempty"` // by node
	Tools  map[string]Steps[ToolEntry] `json:"tools,omitempty"`
	Pure   []string                    `json:"pure,omitempty"` // tools that are called once for the same arguments
	Inject []Injected                  `json:"inject,omitempty"`
	DryRun bool                        `json:"dry_run,omitempty"`

	Answers []Reply `json:"answers,omitempty"`

	Recording string `json:"recording,omitempty"` // its text
	Budget    Budget `json:"budget"`

	// Show is a node: the run ends with its first request, which the result has.
	Show string `json:"show,omitempty"`

	// Events and Executions select lists for the result; a long run has many of them.
	Events     bool `json:"events,omitempty"`
	Executions bool `json:"executions,omitempty"`

	OnEngine bool `json:"on_engine,omitempty"` // it is run by another engine too
	RealTime bool `json:"real_time,omitempty"` // the engine has the clock of the system
	InQueue  bool `json:"in_queue,omitempty"`  // it is run by a queue too, if its graph is durable
	Repeat   int  `json:"repeat,omitempty"`    // how often the run is repeated by coroutines, to be the same each time
}

// A Reply is a person's answer to a request, as JSON.
type Reply struct {
	To    string `json:"to"` // the ID of the request, or the name of its node or tool
	JSON  string `json:"json"`
	Late  bool   `json:"late,omitempty"`
	Takes int64  `json:"takes,omitempty"` // nanoseconds
	By    string `json:"by,omitempty"`
	Note  string `json:"note,omitempty"`
	Line  int    `json:"line"`
}

// An Entry is one execution of a node.
type Entry struct {
	Out    Value `json:"out,omitempty"`
	Goto   int   `json:"goto,omitempty"`   // number of the choice
	Branch int   `json:"branch,omitempty"` // number of the label

	Error     *string `json:"error,omitempty"`
	Transient bool    `json:"transient,omitempty"`
	Panic     *string `json:"panic,omitempty"`
	Reject    *string `json:"reject,omitempty"` // of kind guard: the message

	Guards map[string]Verdict `json:"guards,omitempty"` // of the node's guards, by name
	Judged []string           `json:"judged,omitempty"` // those of the guards that a model judges, and that the author names

	Actions []Action `json:"actions,omitempty"` // of a handler that changes the graph

	// Of a node that a model is asked about.
	Answer    *string            `json:"answer,omitempty"` // the text of the model's answer
	Calls     []Call             `json:"calls,omitempty"`
	Malformed []string           `json:"malformed,omitempty"` // answers before that one
	Usage     Usage              `json:"usage"`               // of every call
	Summary   *string            `json:"summary,omitempty"`
	Choose    *Choice            `json:"choose,omitempty"`
	Evals     map[string]Opinion `json:"evals,omitempty"` // by name

	Approve string `json:"approve,omitempty"` // of a node that asks a person: yes or no
	Late    bool   `json:"late,omitempty"`    // of such a node: after its deadline

	Takes  int64 `json:"takes,omitempty"` // nanoseconds that pass whatever happens to the context
	After  int64 `json:"after,omitempty"` // nanoseconds that pass before, unless the context ends
	Hang   bool  `json:"hang,omitempty"`
	Cancel bool  `json:"cancel,omitempty"`
	Stop   bool  `json:"stop,omitempty"`
}

// A Verdict is the result of a guard of a node's output: the first field that is set.
type Verdict struct {
	Reject *string `json:"reject,omitempty"`
	Error  *string `json:"error,omitempty"`
	Panic  *string `json:"panic,omitempty"`
}

// A Hook is called at a moment of a run and fails.
type Hook struct {
	After     bool   `json:"after,omitempty"` // after the step; else before it
	Node      string `json:"node,omitempty"`  // "": any
	Visit     int    `json:"visit,omitempty"` // 0: any
	Governing bool   `json:"governing,omitempty"`
	Budget    string `json:"budget,omitempty"` // what is exceeded; "": Error is returned
	Error     string `json:"error,omitempty"`
	Panic     string `json:"panic,omitempty"`
}

// A Line is a line of the results file: a scenario begins, or its result.
type Line struct {
	Begin  *int    `json:"begin,omitempty"`
	Result *Result `json:"result,omitempty"`
}

// A Result is what happened in one scenario.
type Result struct {
	ID      int    `json:"id"`
	Elapsed int64  `json:"elapsed"`           // nanoseconds of real time
	Problem string `json:"problem,omitempty"` // the scenario could not be run, or a promise was broken
	Durable bool   `json:"-"`                 // the machine makes runs in threads

	Log        string `json:"-"` // the events and the report of a run that is logged
	Coroutines int    `json:"-"` // how many a driver has started

	Path   []string `json:"path"`
	End    string   `json:"end"`
	Ending string   `json:"ending,omitempty"` // the name of the end that it has reached
	Error  *Error   `json:"error,omitempty"`  // what Run returned

	Unanswered []int `json:"unanswered,omitempty"` // lines of the answers for which there was no request

	State  Value `json:"state,omitempty"`
	Output Value `json:"output,omitempty"`

	Events      []Event     `json:"events,omitempty"`
	Executions  []Execution `json:"executions,omitempty"`
	Failures    []Failure   `json:"failures,omitempty"`
	Transitions []int       `json:"transitions,omitempty"` // how often each was followed
	Visits      []int       `json:"visits,omitempty"`      // by node, in the spec's order

	// Calls of each node's handler, or turns of its model, and calls of tools: by the lists of
	// entries, for each the most that one branch has made.
	Calls map[string][]int `json:"calls,omitempty"`
	Tools map[string][]int `json:"tools,omitempty"`

	MaxAtOnce int      `json:"max_at_once,omitempty"` // executions that took time
	Cancelled []string `json:"cancelled,omitempty"`   // nodes whose executions were cut short, in order

	Question string   `json:"question,omitempty"` // that was asked last; of several that were open, a line each
	Requests []string `json:"requests,omitempty"` // IDs of those

	Spent Spent `json:"spent"`

	Shown *Request `json:"shown,omitempty"` // the request of the node that the scenario shows

	Mutations []Mutation `json:"mutations,omitempty"`

	Seen string `json:"seen,omitempty"` // by the probe

	Takes        int64 `json:"takes"` // nanoseconds in the bubble
	Steps        int   `json:"steps"`
	Dropped      int   `json:"dropped,omitempty"`
	Retries      int   `json:"retries,omitempty"`
	CacheHits    int   `json:"cache_hits,omitempty"`
	Rejected     int   `json:"rejected,omitempty"`
	HookFailures int   `json:"hook_failures,omitempty"`
	Refused      int   `json:"refused,omitempty"`

	Passed  map[string]int `json:"passed,omitempty"`   // by node and guard, how often the guard accepted an output
	LeftOut []string       `json:"left_out,omitempty"` // nodes and the blocks that their prompts had no room for, in order
}

// An Error is an error with the types of its chain.
type Error struct {
	Text   string   `json:"text"`
	Limits []string `json:"limits,omitempty"` // of LimitErrors of the chain
	Kinds  []string `json:"kinds,omitempty"`  // of ModelErrors and ToolErrors of the chain
	Types  []string `json:"types"`            // NodeError, LimitError …, outermost first
	Node   string   `json:"node,omitempty"`
	Step   int      `json:"step,omitempty"`
	Visit  int      `json:"visit,omitempty"`
	Line   int      `json:"line,omitempty"` // in the spec

	Branch string `json:"branch,omitempty"`
}

// An Event is an event of the run.
type Event struct {
	Kind    string `json:"kind"`
	Node    string `json:"node,omitempty"`
	To      string `json:"to,omitempty"`
	Skipped bool   `json:"skipped,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Error   string `json:"error,omitempty"`
	Step    int    `json:"step,omitempty"`
	Visit   int    `json:"visit,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	Line    int    `json:"line,omitempty"` // in the spec
	Tool    string `json:"tool,omitempty"`
	Text    string `json:"text,omitempty"`
	Branch  string `json:"branch,omitempty"`
	Payload Value  `json:"payload,omitempty"`
}

// An Execution is a call of a node's handler, or a turn of its model: what it was given.
type Execution struct {
	Node     string   `json:"node"`
	Branch   string   `json:"branch,omitempty"`
	Entry    int      `json:"entry"` // index of the script entry that answered, among all of the node; -1: none
	Step     int      `json:"step,omitempty"`
	Visit    int      `json:"visit,omitempty"`
	Attempt  int      `json:"attempt,omitempty"`
	In       Value    `json:"in,omitempty"`
	Feedback []string `json:"feedback,omitempty"`
	Failure  string   `json:"failure,omitempty"`
	Prompt   *Prompt  `json:"prompt,omitempty"` // of a model, its first request

	Guards map[string]Value `json:"guards,omitempty"` // what its guards read, by name
}

// A Failure is a failed step.
type Failure struct {
	Error   Error `json:"error"`
	Soft    bool  `json:"soft,omitempty"`
	Cleared bool  `json:"cleared,omitempty"`
}
