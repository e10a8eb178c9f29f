package scriptdriver

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	graphrt "github.com/graphgen/graphgen/runtime"
)

// The kinds of entries of people that are no yes.
const (
	Denies = "deny"
	Late   = "late" // given after the deadline, if there is one
)

// Approving begins the questions of the flag requires_human. What is shown with them is not compared.
const Approving = "Run "

// PersonOf is the name under which a script has the answers to the requests of a node.
func PersonOf(node string) string { return node + "!" }

// A Request is what a test compares of a request.
type Request struct {
	ID, Kind, Node, Within, Branch, Question, Tool, Arguments string
	Visit                                                     int
	Shown                                                     []string `json:",omitempty"`
}

// AnswerTo is the entry that a script has for a request. It depends on the ID alone, not on the order of answers.
func AnswerTo(script *Script, q Request) Entry {
	list := script.Nodes[PersonOf(q.Node)]
	if len(list) == 0 {
		return Entry{}
	}
	return list[number(q.ID+"/"+strconv.Itoa(script.Schedule))%uint64(len(list))]
}

// FirstAnswered is the number of the request of a pause that a script answers next.
func FirstAnswered(script *Script, open []Request) int {
	rank := func(q Request) uint64 { return number(strconv.Itoa(script.Schedule) + q.ID) }
	first := 0
	for i := range open {
		if rank(open[i]) < rank(open[first]) {
			first = i
		}
	}
	return first
}

// JSON is an entry as the answer to a request.
func (e Entry) JSON(q Request) string {
	switch q.Kind {
	case string(graphrt.RequestInterrupt):
		return `"continue"`
	case string(graphrt.RequestReply):
		return e.Text
	case string(graphrt.RequestClientTool):
		if e.Kind == Fails {
			return `{"error": "no"}`
		}
		return `{"result": "found it"}`
	case string(graphrt.RequestToolApproval):
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

// PauseText is the text for a pause: when it is, and its requests in the order of their IDs.
func PauseText(at int, open []Request) string {
	slices.SortFunc(open, func(a, b Request) int { return strings.Compare(a.ID, b.ID) })
	text, err := json.Marshal(open)
	if err != nil {
		panic(err)
	}
	return At(at) + string(text)
}

// Paused records a pause, and returns it with the ID of the request to answer next and the answer, after the time that
// the answer takes. It returns nil if the run has not paused.
func (p *Player) Paused(err error) (pause *graphrt.InterruptedError, id string, answer []byte) {
	pause, ok := errors.AsType[*graphrt.InterruptedError](err)
	if !ok {
		return nil, "", nil
	}
	var open []Request
	for _, q := range pause.Requests {
		r := Request{
			ID: q.ID, Kind: string(q.Kind), Node: q.Node, Within: q.Within, Branch: q.Branch, Question: q.Question, Visit: q.Visit,
			Tool: q.Tool, Arguments: q.Arguments,
		}
		for _, s := range q.Shown {
			if strings.HasPrefix(q.Question, Approving) {
				continue // of kinds that the model has no reads of
			}
			r.Shown = append(r.Shown, fmt.Sprintf("%s=%s %t", s.Name, s.Text, s.JSON))
		}
		open = append(open, r)
	}
	p.got.Pauses = append(p.got.Pauses, PauseText(p.now(), open))
	q := open[FirstAnswered(p.script, open)]
	e := AnswerTo(p.script, q)
	time.Sleep(tick)
	for i, r := range pause.Requests {
		if deadline := pause.Requests[i].Deadline; r.ID == q.ID && e.Kind == Late && !deadline.IsZero() && time.Until(deadline) >= 0 {
			time.Sleep(time.Until(deadline) + tick)
		}
	}
	return pause, q.ID, []byte(e.JSON(q))
}
