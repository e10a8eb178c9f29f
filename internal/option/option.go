// Package option has the values of options, and what they set. Its types have parameters for types of package graphgen, which imports
// it; package optionset names them with these.
package option

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/internal/prompttext"
)

// The interfaces that package graphgen and package thread name, by the place where an option is given. Types of this package alone have their
// methods.
type (
	// Run is an option of a call that begins a run, or of one that takes up the run of a thread.
	Run[S any] interface {
		set(*S)
		forRun()
	}
	// Resume is an option of a call that resumes a run.
	Resume[S any] interface {
		set(*S)
		forResume()
	}
	// Thread is an option of the constructor of a durable machine.
	Thread[S any] interface {
		set(*S)
		forThread()
	}
	// Machine is an option of each constructor and each call.
	Machine[S any] interface {
		Run[S]
		Resume[S]
		Thread[S]
		forMachine()
	}
)

// The options of each kind.
type (
	ForMachine[S any] func(*S)
	ForCall[S any]    func(*S) // a Run and a Resume
	ForRun[S any]     func(*S)
	ForResume[S any]  func(*S)
	ForThread[S any]  func(*S)
)

func (f ForMachine[S]) set(s *S)    { f(s) }
func (f ForMachine[S]) forRun()     {}
func (f ForMachine[S]) forResume()  {}
func (f ForMachine[S]) forThread()  {}
func (f ForMachine[S]) forMachine() {}

func (f ForCall[S]) set(s *S)   { f(s) }
func (f ForCall[S]) forRun()    {}
func (f ForCall[S]) forResume() {}

func (f ForRun[S]) set(s *S) { f(s) }
func (f ForRun[S]) forRun()  {}

func (f ForResume[S]) set(s *S)   { f(s) }
func (f ForResume[S]) forResume() {}

func (f ForThread[S]) set(s *S)   { f(s) }
func (f ForThread[S]) forThread() {}

// Settings is what the options of a machine and of a call set for a run. The zero Settings belong to a run without options. An option of a
// call sees the NamedModels and the Prompts of the options of the same call alone, and where the machine has a Model of its options, one that
// calls that.
type Settings[Event, Hook, Report, Stopper, Budgets any] struct {
	Observers  []func(Event)
	Hooks      []Hook
	Report     *Report                // where the report is stored; nil: nowhere
	FinalState func(state any) error  // gets a pointer to the state at the end, or at a pause; nil: nothing does
	Exchanges  func() origin.Exchange // events have the requests and answers of models; nil: they do not

	// Detail returns Details.More of an event of a kind for observers, with what a step of a run changed in a branch. Without one, and where it
	// returns nil, events are as they are.
	Detail func(kind uint8, of origin.Ref, run, branch string) any

	Timings   bool  // the report has the time that each node took
	DryRun    bool  // the run stops before it leaves the first node whose edges have conditions
	TurnCalls int32 // of tools in one turn; 0: 1,000

	Stopper *Stopper // nil: none
	RunID   string   // in idempotency keys; empty: a random one

	TakesBack bool // a run of a thread takes back the one before
	Passing   bool // its thread expires when no process works on it

	InterruptBefore, InterruptAfter []string // nodes at whose boundary the run pauses

	Person *Person // who answers, of a call that resumes a run; nil: no option says that

	Model         chat.Model            // instead of the machine's; nil: the machine's
	LightModel    chat.Model            // of nodes with the flag lightweight; nil: Model
	NamedModels   map[string]chat.Model // by the names that nodes use
	Toolboxes     []chat.Toolbox        // of nodes with the flag inject_tools
	ToolWrappers  []func(chat.ToolFunc) chat.ToolFunc
	ModelWrappers []func(chat.Model) chat.Model
	Prompts       Prompts // instead of the spec's; nil: none
	Budgets       Budgets
	Limits        *origin.Limits // of package hooks; nil: there are none

	Named   Names    // names in options that the graph is to have; nil: there are none
	Invalid *Invalid // the first option whose value cannot work; nil: none

	Parent origin.Ref `json:"-"` // of a child run: the node that runs it
	Thread origin.Ref `json:"-"` // how threads are kept, as package thread has it; of a run in a thread: that thread
	Driver origin.Ref `json:"-"` // what drives the run, as package driver has it
}

// A Person answers a request.
type Person struct{ Name, Note string }

// Answers returns the person who answers, to be changed by an option.
func (s *Settings[E, H, R, S, B]) Answers() *Person {
	if s.Person == nil {
		s.Person = new(Person)
	}
	return s.Person
}

// A Setter is an option of any kind.
type Setter[S any] interface{ set(*S) }

// Set applies an option. A nil option is invalid.
func Set[E, H, R, S, B any, O Setter[Settings[E, H, R, S, B]]](s *Settings[E, H, R, S, B], o O) {
	if any(o) == nil {
		s.Refuse("graphgen.Option", "it is nil: leave it out")
		return
	}
	o.set(s)
}

// Prompts are the texts of WithPrompt and WithPromptMessage, an interface so that a program without them links no checks.
type Prompts interface {
	Check(nodes []prompttext.Info, runsGraph func(node string) bool) *Invalid
	Of(node *prompttext.Info) *prompttext.NewParts
	// Pass returns the texts of to, which may be nil, with those for the nodes whose names have a prefix, by the rest of their names.
	Pass(prefix string, to Prompts) Prompts
}

// An Invalid is an option that cannot work.
type Invalid struct {
	Option string // as code writes it: graphgen.WithModel
	Name   string // of what the graph does not have; empty: that is not the mistake
	Why    string
}

// Refuse keeps why an option cannot work. The first of several options is the one that is reported.
func (s *Settings[E, H, R, S, B]) Refuse(option, why string) {
	if s.Invalid == nil {
		s.Invalid = &Invalid{Option: option, Why: why}
	}
}

// NameNode adds the name of a node that an option is about: a run of a graph that has no such node fails. It may be a path through nodes that
// run other graphs, as in help/answer; what follows the first of them is not checked.
func (s *Settings[E, H, R, S, B]) NameNode(option, node string) {
	s.named(givenName{option, node, false})
}

// NameModel adds the name of a model that an option is about.
func (s *Settings[E, H, R, S, B]) NameModel(option, model string) {
	s.named(givenName{option, model, true})
}

func (s *Settings[E, H, R, S, B]) named(n givenName) {
	all, _ := s.Named.(givenNames)
	s.Named = append(slices.Clip(all), n)
}

// Names are those that options give, an interface so that a program whose options give none links no checks.
type Names interface {
	Check(models []string, isNode, runsGraph func(name string) bool) *Invalid
}

type givenNames []givenName

// A givenName is the name of a node or of a model in an option.
type givenName struct {
	option, name string
	model        bool
}

// Check returns the first name that a graph does not have. models are the names of models that its nodes have.
func (all givenNames) Check(models []string, isNode, runsGraph func(name string) bool) *Invalid {
	for _, n := range all {
		outer, _, within := strings.Cut(n.name, "/")
		switch {
		case n.model && !slices.Contains(models, n.name):
			why := "no node has a model of that name: leave it out"
			if len(models) > 0 {
				why = "no node has a model of that name, but " + strings.Join(models, ", ")
			}
			return &Invalid{Option: n.option, Name: n.name, Why: why}
		case !n.model && !isNode(n.name) && !(within && runsGraph(outer)):
			return &Invalid{Option: n.option, Name: n.name, Why: "the graph has no such node: name one that it has"}
		}
	}
	return nil
}
