package reasoning

import (
	"fmt"
	"strconv"

	"github.com/graphgen/graphgen/spec/dialect/draft"
)

// A brick is a type of node that comes with instructions and a typed answer: what a node becomes that has settings which
// the template of its name has not.
type brick struct {
	name         string
	doc          string
	field        string   // the state field that it writes
	flags        []string // its own flags
	reads        uses     // what it is shown by default
	instructions func(*node) string
	answer       func(*node, draft.Pos) draft.Table
	sample       []any
}

// uses are the results of other nodes that a node is shown.
type uses struct{ plan, reflections bool }

// scored is the type of a number from 1 to 5.
func scored(doc string) []any { return []any{"type", "int", "min", "1", "max", "5", "doc", doc} }

// fields returns the fields of an answer: a name, and a type or the keys of a field.
func fields(pos draft.Pos, list ...any) draft.Table {
	var t draft.Table
	for i := 0; i < len(list); i += 2 {
		name := list[i].(string)
		switch typ := list[i+1].(type) {
		case string:
			t.Set(name, draft.Text(typ, pos))
		case []any:
			t.Set(name, keysOf(pos, typ))
		}
	}
	return t
}

// keysOf returns the keys of a field, each followed by its value.
func keysOf(pos draft.Pos, list []any) tree {
	m := draft.Map(pos)
	for i := 0; i < len(list); i += 2 {
		name, value := list[i].(string), list[i+1].(string)
		if name == "min" || name == "max" || name == "max_length" {
			m.Add(name, draft.Plain(value, pos))
		} else {
			m.Add(name, draft.Text(value, pos))
		}
	}
	return m
}

// bricks are the reasoning nodes.
var bricks = []brick{
	{
		name: "think", doc: "looks for gaps in what is known, and recommends the next step.", field: "think_output",
		flags: []string{"lightweight"}, reads: uses{plan: true},
		instructions: fixed("Examine what is known so far. Name what is missing, rate from 1 to 5 how sure the findings are, and " +
			"recommend the single best next action. Be precise about what is uncertain."),
		answer: func(n *node, pos draft.Pos) draft.Table {
			return fields(pos, "gap_analysis", "string", "confidence", scored("How sure the findings are."), "next_action", "string", "reasoning", "string")
		},
		sample: []any{"gap_analysis", "a text", "confidence", 3, "next_action", "a text", "reasoning", "a text"},
	},
	{
		name: "observe", doc: "makes findings of the results of tools.", field: "observation",
		instructions: fixed("Examine the results of the tools. Summarize them in two or three sentences, list the entities in " +
			"them, the facts that can be verified, and the findings that matter for the task. Keep facts apart from opinions."),
		answer: func(n *node, pos draft.Pos) draft.Table {
			return fields(pos, "summary", "string", "entities", "[]string", "facts", "[]string", "key_findings", "[]string")
		},
		sample: []any{"summary", "a text"},
	},
	{
		name: "reflect", doc: "evaluates the progress, and finds mistakes.", field: "reflection",
		flags: []string{"observable"}, reads: uses{plan: true, reflections: true},
		instructions: fixed("Review the last steps. Assess the progress in one sentence, name the worst mistake and how to correct " +
			"it, and rate from 1 to 5 how sure the direction is. Decide how to go on."),
		answer: func(n *node, pos draft.Pos) draft.Table {
			return fields(pos, "progress_assessment", "string", "mistake", "?string", "correction", "?string", "confidence",
				scored("How sure the direction is."))
		},
		sample: []any{"progress_assessment", "a text", "confidence", 4},
	},
	{
		name: "critique", doc: "challenges the answer.", field: "critique",
		flags: []string{"observable"}, reads: uses{plan: true, reflections: true},
		instructions: fixed("Challenge the current answer or plan. Name its weaknesses, counter-arguments, and specific " +
			"improvements. Rate the severity of the issues from 0, for none, to 1."),
		answer: func(n *node, pos draft.Pos) draft.Table {
			return fields(pos, "weaknesses", "[]string", "counter_arguments", "[]string", "improvements", "[]string", "severity",
				[]any{"type", "float", "min", "0", "max", "1"})
		},
		sample: []any{"severity", 0},
	},
	{
		name: "justify", doc: "explains the last decision, for an audit.", field: "justification",
		flags: []string{"observable", "verbose"},
		instructions: fixed("Explain why the last action was taken: the chain of reasons, the evidence for each, and the " +
			"conclusion. Rate from 1 to 5 how sure it is. The text is for an audit."),
		answer: func(n *node, pos draft.Pos) draft.Table {
			return fields(pos, "reasoning_chain", "[]string", "evidence", "[]string", "conclusion", "string", "confidence",
				scored("How sure the conclusion is."))
		},
		sample: []any{"conclusion", "a text", "confidence", 4},
	},
	{
		name: "plan", doc: "divides the task into subgoals, and rates its plan.", field: "plan_output",
		flags: []string{"observable"}, reads: uses{reflections: true},
		instructions: func(n *node) string {
			return fmt.Sprintf("Make a plan for the task: at most %d subgoals, the one of most effect first. Each is specific, "+
				"and can be reached in one step. Name the subgoal to begin with, and rate the plan from 1 to 5.", n.subgoalsOr())
		},
		answer: func(n *node, pos draft.Pos) draft.Table {
			return fields(pos, "subgoals", []any{"type", "[]string", "max_length", strconv.Itoa(n.subgoalsOr())}, "active_subgoal",
				"string", "quality_score", scored("How good the plan is."))
		},
		sample: []any{"active_subgoal", "a text", "quality_score", 5},
	},
	{
		name: "synthesize", doc: "combines all findings into the answer.", field: "synthesis",
		flags: []string{"observable"}, reads: uses{plan: true, reflections: true},
		instructions: fixed("Combine what was found into the answer to the task. Support each claim with evidence, cite the " +
			"sources, rate from 1 to 5 how sure the answer is, and name what is still uncertain. Be thorough and concise."),
		answer: func(n *node, pos draft.Pos) draft.Table {
			return fields(pos, "answer", "string", "confidence", scored("How sure the answer is."), "sources", "[]string")
		},
		sample: []any{"answer", "a text", "confidence", 4},
	},
	{
		name: "validate", doc: "decides whether the result is good enough.", field: "validation",
		instructions: fixed("Evaluate the current result. It passes if it is complete, answers the question, supports its claims " +
			"with evidence, and has no factual errors. List the issues, suggest how to resolve each, and rate from 1 to 5 how sure the verdict is."),
		answer: func(n *node, pos draft.Pos) draft.Table {
			return fields(pos, "passes", "bool", "issues", "[]string", "suggestions", "[]string", "confidence", scored("How sure the verdict is."))
		},
		sample: []any{"passes", true, "confidence", 4},
	},
}

func fixed(text string) func(*node) string { return func(*node) string { return text } }

func (n *node) subgoalsOr() int {
	if n.subgoals.V > 0 {
		return n.subgoals.V
	}
	return 4
}

// brickOf returns the reasoning node of a type, nil if it is not a reasoning node.
func brickOf(typ string) *brick {
	for i := range bricks {
		if bricks[i].name == typ {
			return &bricks[i]
		}
	}
	return nil
}

// example returns the answer of the scenario.
func (b *brick) example() tree {
	m := draft.Map(draft.Pos{})
	for i := 0; i < len(b.sample); i += 2 {
		switch v := b.sample[i+1].(type) {
		case string:
			m.Add(b.sample[i].(string), draft.Text(v, draft.Pos{}))
		default:
			m.Add(b.sample[i].(string), draft.Plain(fmt.Sprint(v), draft.Pos{}))
		}
	}
	return m
}
