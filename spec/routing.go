package spec

// A Rule is a rule of choosing the next node, of SEMANTICS section 3. The kernel has the same rules
// with the same numbers and names, which its TestRules checks.
type Rule uint8

const (
	RuleNone       Rule = iota // of an event without a transition
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
	RuleTerminal               // no transition leaves the node
	RuleBranch                 // into a region
	RuleMutation               // the node has changed the graph of its run: skip_to, retry_with
	RuleHuman                  // a person denied or answered too late
	RuleBudget                 // a node that needed more of a budget than was left
)

var ruleNames = [...]string{
	RuleEntry: "entry", RuleToolLoop: "tool loop", RuleRoute: "route", RuleGoto: "goto", RuleEdge: "edge", RuleTransition: "transition",
	RuleNext: "next", RuleNoMatch: "no match", RuleError: "error", RuleGuardFail: "guard fail", RuleTerminal: "terminal",
	RuleBranch: "branch", RuleMutation: "mutation", RuleHuman: "human", RuleBudget: "budget",
}

// String returns the name of the rule in events and reports; it is empty for RuleNone.
func (r Rule) String() string { return ruleNames[r] }

// RuleNames returns the names of the rules.
func RuleNames() []string { return append([]string(nil), ruleNames[RuleEntry:]...) }
