package spec

// A Rule is a rule of choosing the next node, of SEMANTICS section 3. The kernel has the same ones, with the
// same numbers and names: its TestRules holds that.
type Rule uint8

const (
	RuleNone       Rule = iota // of an event that is no route
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
	RuleBranch                 // into what a node runs
	RuleMutation               // the node has changed the graph of its run: skip_to, retry_with
	RuleHuman                  // a person said no, or too late
)

var ruleNames = [...]string{
	RuleEntry: "entry", RuleToolLoop: "tool loop", RuleRoute: "route", RuleGoto: "goto", RuleEdge: "edge", RuleTransition: "transition",
	RuleNext: "next", RuleNoMatch: "no match", RuleError: "error", RuleGuardFail: "guard fail", RuleTerminal: "terminal",
	RuleBranch: "branch", RuleMutation: "mutation", RuleHuman: "human",
}

// String returns the rule's name, as events and reports have it; it is empty for none.
func (r Rule) String() string { return ruleNames[r] }

// RuleNames returns the names of the rules.
func RuleNames() []string { return append([]string(nil), ruleNames[RuleEntry:]...) }
