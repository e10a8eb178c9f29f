package graphgen

// A Rule is a rule of choosing the next node, as docs/concepts/semantics.md describes them.
type Rule uint8

const (
	RuleNone       Rule = iota // of an event that is not a route
	RuleEntry                  // the run starts
	RuleToolLoop               // 1
	RuleRoute                  // 2: a field of the output names the node
	RuleGoto                   // 3: the handler names the node
	RuleEdge                   // 4
	RuleTransition             // 5
	RuleNext                   // 6
	RuleNoMatch                // 7
	RuleError                  // a failed node
	RuleGuardFail              // a node with failed guards
	RuleTerminal               // no transition
	RuleBranch                 // into the region of a node
	RuleMutation               // the node has changed the graph of its run: skip_to, retry_with
	RuleHuman                  // a person denied, or answered too late
	RuleBudget                 // a node that needed more of a budget than was left
)

// String returns the rule's name; it is empty for none.
func (r Rule) String() string {
	return [...]string{
		"", "entry", "tool loop", "route", "goto", "edge", "transition", "next", "no match", "error", "guard fail", "terminal", "branch", "mutation", "human",
		"budget",
	}[r]
}
