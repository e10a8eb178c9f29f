package spec

// A FlagID is a flag that a node may have, by its row in Flags.
type FlagID uint8

// The flags of nodes.
const (
	Entry FlagID = iota
	Terminal
	Critical
	SkipOnError
	Retryable
	IsolatedContext
	Cacheable
	Readonly
	Stateful
	ParallelSafe
	NoHistory
	Lightweight
	InjectTools
	SummarizeOutput
	ValidateOutput
	Observable
	Verbose
	Quiet
	RequiresHuman
)

// A FlagRow is a flag that a node may have: a row of Flags.
type FlagRow struct {
	Word

	Prompts bool // it is about how the node asks its model: the prompt of the runtime has a field of its name
}

// Flags are the flags of nodes, each at its FlagID. A node does not have a flag that it does not name.
var Flags = []FlagRow{
	Entry:           {Word: Word{Name: "entry", Doc: "A run starts here; the same as the graph's `entry`."}},
	Terminal:        {Word: Word{Name: "terminal", Doc: "A run ends here; the node has no transition for a success."}},
	Critical:        {Word: Word{Name: "critical", Doc: "A failure ends the run immediately, whatever its failure routes are."}},
	SkipOnError:     {Word: Word{Name: "skip_on_error", Doc: "The node is passed by when the node before it failed."}},
	Retryable:       {Word: Word{Name: "retryable", Doc: "A failed execution is tried again, with growing waits.", Of: "retryable"}},
	IsolatedContext: {Word: Word{Name: "isolated_context", Doc: "The handler is given what it reads and nothing else."}},
	Cacheable:       {Word: Word{Name: "cacheable", Doc: "An execution with the same `reads` as one before in the run gives that one's output."}},
	Readonly:        {Word: Word{Name: "readonly", Doc: "The node cannot change the state."}},
	Stateful:        {Word: Word{Name: "stateful", Doc: "The node changes the state; it is a mistake on a node that writes nothing."}},
	ParallelSafe: {
		Word: Word{Name: "parallel_safe", Doc: "The node may run beside others: it writes no field that another writes at the same time, but by a merge rule."},
	},
	NoHistory: {
		Word: Word{Name: "no_history",
			Doc: "The model is shown none of the messages before, and its own are not kept. With `history` it is shown the conversation, and appends nothing."},
	},
	Lightweight:     {Word: Word{Name: "lightweight", Doc: "The smaller model is asked."}},
	InjectTools:     {Word: Word{Name: "inject_tools", Doc: "The model may call the tools that are known at run time alone."}},
	SummarizeOutput: {Word: Word{Name: "summarize_output", Doc: "A text of over 1,000 characters is summarized by the smaller model before it is written."}},
	ValidateOutput:  {Word: Word{Name: "validate_output", Doc: "An output that no model has made is checked: min, max, lengths, pattern and format."}},
	Observable:      {Word: Word{Name: "observable", Doc: "Every prompt and every answer, with its tokens, is an event of kind progress."}, Prompts: true},
	Verbose:         {Word: Word{Name: "verbose", Doc: "The event at the end of the step has the answer."}, Prompts: true},
	Quiet: {
		Word: Word{Name: "quiet", Doc: "Observers are not given the pieces of the model's answers: the node has no events of kind token."}, Prompts: true,
	},
	RequiresHuman: {
		Word: Word{Name: "requires_human",
			Doc: "A person approves before the node runs, at each visit. A no, or an answer that is too late, leads to `on_deny` " +
				"or `on_timeout`, else it is a failure of the node.", Of: "requires_human"},
	},
}

// String returns the flag's name.
func (f FlagID) String() string { return Flags[f].Name }

// FlagOf returns the flag of that name, and whether there is one.
func FlagOf(name string) (FlagID, bool) {
	for f := range Flags {
		if Flags[f].Name == name {
			return FlagID(f), true
		}
	}
	return 0, false
}

// A FlagSet is a set of flags.
type FlagSet uint32

// Has reports whether the set has a flag.
func (s FlagSet) Has(f FlagID) bool { return s&(1<<f) != 0 }

// FlagSet returns the flags that the node names and the language has.
func (n *Node) FlagSet() FlagSet {
	var s FlagSet
	for i := range n.Flags {
		if f, ok := FlagOf(n.Flags[i].Name.V); ok {
			s |= 1 << f
		}
	}
	return s
}

// Flag returns the entry by which the node has a flag, the first one, and whether it has it.
func (n *Node) Flag(flag FlagID) (Flag, bool) {
	for _, f := range n.Flags {
		if f.Name.V == flag.String() {
			return f, true
		}
	}
	return Flag{}, false
}
