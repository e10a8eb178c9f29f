// Code generated from spec/prelude/reasoning.types.yaml by go test ./gen/golang -run TestPrelude -update. DO NOT EDIT.

package prelude

import ggrun "github.com/graphgen/graphgen/runtime/machine"

// The ten reasoning nodes, and the types of what they write.

// What has to be reached, step by step, and how good that plan is.
type Plan struct {
	// What has to be reached, in this order, each so that one can see whether it is reached.
	Subgoals []string // length 1 to 12
	// The subgoals of the plan before that are reached, in its words.
	Done []string
	// The subgoal to work on next.
	Active string
	// How likely the plan is to reach the goal, from 1, hardly, to 5, surely.
	Quality int // 1 to 5
}

// What is known so far, and what is missing.
type Thought struct {
	// What is not known and would change the answer, one thing each.
	Gaps []string
	// How sure an answer would be that is given at this point.
	Confidence float64 // 0 to 1
	// What to do next.
	Recommendation string
}

// What results of tools show.
type Observation struct {
	// What the results show, one fact each, with its source.
	Facts []string
	// What contradicts what was expected or known before.
	Surprises []string
	// The subgoals that are reached by these results, in the words of the plan.
	Done []string
}

// How the work goes, and how it goes on.
type Reflection struct {
	// What has been reached.
	Progress string
	// What went wrong, if anything did.
	Mistake *string
	// What to do in another way from here on.
	Correction *string
	// How sure an answer would be that is given at this point.
	Confidence float64 // 0 to 1
	// The subgoals that are reached, in the words of the plan.
	Done []string
	// answer: enough is known. continue: the plan holds, and work is left. replan: the plan does not lead to the goal.
	Verdict Verdict
}

// How a run goes on after a reflection.
// The zero value is not set.
type Verdict uint8

// The values of Verdict.
const (
	VerdictAnswer Verdict = iota + 1
	VerdictContinue
	VerdictReplan
)

// String returns the value as the spec writes it, and nothing if it is not set.
func (v Verdict) String() string { return ggrun.NameOf(v, "answer", "continue", "replan") }

// What is wrong with a text, and how bad that is.
type Critique struct {
	// From 0, nothing is wrong, to 1, it has to be written anew.
	Severity float64 // 0 to 1
	// One problem each, with what would mend it.
	Issues []string
}

// Why a decision was taken, for those who check it later.
type Justification struct {
	// What was decided, in one sentence.
	Decision string
	// What the decision rests on, one point each, with its source.
	Evidence []string
	// What was decided against, each with the reason.
	Alternatives []string
	// What would change the decision if it came out otherwise.
	Doubts []string
}

// The answer that is made of all findings.
type Synthesis struct {
	// The answer, as the reader gets it.
	Answer string // length at least 1
	// What the answer rests on.
	Sources []string
	// What stays open, and why.
	Open []string
}

// Whether a text does what it has to do.
type Validation struct {
	// Whether every requirement is met.
	Passes bool
	// The requirements that are not met, each with what is missing.
	Issues []string
}

// The answer to a question that is a part of another.
type Finding struct {
	// The question, as it was asked.
	Question string
	// The answer, in a few sentences.
	Answer string
	// How sure the answer is.
	Confidence float64 // 0 to 1
}

// Questions that are asked at once.
type Questions struct {
	// The questions, each of which can be answered without the others.
	Questions []string // length 1 to 8
}

// What tools have given.
type ToolResult struct {
	// The tools that were called, each with the reason.
	Used []string
	// What they gave, complete, with sources.
	Result string
	// What no tool could give.
	Missing []string
}
