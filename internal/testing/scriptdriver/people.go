package scriptdriver

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
)

// The kinds of entries of people that are no yes.
const (
	Denies = "deny"
	Late   = "late" // given after the deadline, if there is one

	Undecided = "undecided"           // neither a yes nor a no
	Overrules = "deny, and overrules" // a no with arguments
)

// Approving begins the questions of the flag requires_human. What is shown with them is not compared.
const Approving = "Run "

// PersonOf is the name under which a script has the answers to the requests of a node.
func PersonOf(node string) string { return node + "!" }

// AnswerTo is the entry that a script has for a request. It depends on the ID alone, not on the order of answers.
func AnswerTo(script *Script, q graphgen.Request) Entry {
	list := script.Nodes[PersonOf(q.Node)]
	if len(list) == 0 {
		return Entry{}
	}
	return list[number(q.ID+"/"+strconv.Itoa(script.Schedule))%uint64(len(list))]
}

// FirstAnswered is the number of the request of a pause that a script answers next.
func FirstAnswered(script *Script, open []graphgen.Request) int {
	rank := func(q graphgen.Request) uint64 { return number(strconv.Itoa(script.Schedule) + q.ID) }
	first := 0
	for i := range open {
		if rank(open[i]) < rank(open[first]) {
			first = i
		}
	}
	return first
}

// JSON is an entry as the answer to a request.
func (e Entry) JSON(q graphgen.Request) string {
	switch q.Kind {
	case graphgen.RequestInterrupt:
		return `"continue"`
	case graphgen.RequestReply:
		return e.Text
	case graphgen.RequestClientTool:
		if e.Kind == Fails {
			return `{"error": "no"}`
		}
		return `{"result": "found it"}`
	case graphgen.RequestToolApproval:
		if e.Kind == Denies {
			return `{"decision": "deny", "reason": "no"}`
		}
		if len(e.Calls) > 0 && e.Calls[0].Name == q.Tool {
			return `{"decision": "approve", "arguments": ` + e.Calls[0].Arguments + `}`
		}
	}
	if e.Kind == Denies {
		return `"deny"`
	}
	return `"approve"`
}

// PauseText is the text for a pause: when it is, and its requests in the order of their IDs, with what is compared of them.
func PauseText(at int, open []graphgen.Request) string {
	open = slices.SortedFunc(slices.Values(open), func(a, b graphgen.Request) int { return strings.Compare(a.ID, b.ID) })
	for i := range open {
		q := &open[i]
		q.Where = graphgen.Where{Node: q.Node, Branch: q.Branch, Visit: q.Visit}
		q.Choices, q.Schema, q.Deadline = nil, "", time.Time{}
		if len(q.Shown) == 0 || strings.HasPrefix(q.Question, Approving) { // of kinds that the model has no reads of
			q.Shown = nil
		}
	}
	text, err := json.Marshal(open)
	if err != nil {
		panic(err)
	}
	return At(at) + string(text)
}

// Decision is an entry as the answer to a question of yes or no.
func (e Entry) Decision() graphgen.Decision {
	switch e.Kind {
	case Denies, Overrules:
		return graphgen.Deny
	case Undecided:
		return 0
	}
	return graphgen.Approve
}

// Returned is an entry as the result of a tool that the caller runs.
func (e Entry) Returned() graphgen.Returned[string] {
	if e.Kind == Fails {
		return graphgen.Returned[string]{Error: "no"}
	}
	return graphgen.Returned[string]{Value: "found it"}
}

// Approval is an entry as the answer about a call of a tool. args makes its arguments of a query.
func Approval[A any](e Entry, tool string, args func(query string) A) graphgen.Approval[A] {
	a := graphgen.Approval[A]{Decision: e.Decision()}
	if e.Kind == Denies {
		a.Reason = "no"
	} else if len(e.Calls) > 0 && e.Calls[0].Name == tool {
		var given struct{ Query string }
		if err := json.Unmarshal([]byte(e.Calls[0].Arguments), &given); err != nil {
			panic(err)
		}
		a.Args = new(args(given.Query))
	}
	return a
}
