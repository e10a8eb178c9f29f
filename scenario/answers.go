package scenario

import (
	"strings"
	"time"

	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A Reply answers a request of a paused run, as JSON: the request with an ID, or the next one of a node or a tool.
type Reply struct {
	Pos    spec.Pos
	To     spec.String
	Answer *Value // nil: none, of a late one
	Late   bool
	Takes  spec.Value[time.Duration]
	By     spec.String // who answers
	Note   spec.String // what they note
}

var replyKeys = table[Reply]{Noun: "an answer", Pos: func(a *Reply) *spec.Pos { return &a.Pos }, Rows: yamlread.Rows([]row[Reply]{
	{Key{Name: "to", Form: formText, Example: "refund", Required: true,
		Doc: "The request: its ID, or the name of the node or the tool that it is about."}, func(a *Reply) any { return &a.To }},
	{Key{Name: "answer", Form: formAny, Example: "approve",
		Doc: "The answer, as `graphgen.AnswerJSON` takes it: `approve`, `deny`, `continue`, or what the schema of " +
			"the request describes, as in `{result: …}` of a call of the caller's tool."}, func(a *Reply) any { return &a.Answer }},
	{Key{Name: "late", Form: formYes, Example: "true", Doc: "The answer comes after its deadline."}, func(a *Reply) any { return yes(&a.Late) }},
	{Key{Name: "takes", Form: formDuration, Example: "3s", Doc: "How long the person takes to answer."}, func(a *Reply) any { return positive(&a.Takes) }},
	{Key{Name: "by", Form: formText, Example: "ann", Doc: "Who answers, for the `record` of the node."}, func(a *Reply) any { return &a.By }},
	{Key{Name: "note", Form: formText, Example: "as agreed", Doc: "What is noted with the answer, for the `record` of the node."},
		func(a *Reply) any { return &a.Note }},
})}

// replies returns the answers for the harness.
func (b *binder) replies(s *Scenario) (list []wire.Reply) {
	if len(s.Answers) > 0 && !b.m.Pauses() {
		b.report("GG207", s.Answers[0].Pos, "no run of the graph waits for an answer", "leave it out")
	}
	for _, a := range s.Answers {
		reply := wire.Reply{To: a.To.V, Late: a.Late, Takes: int64(a.Takes.V), By: a.By.V, Note: a.Note.V, Line: a.Pos.Line}
		if a.Answer != nil {
			reply.JSON = string(rawJSON(a.Answer))
		}
		list = append(list, reply)
	}
	return list
}

// unanswered reports answers for which there was no request.
func (j *judgement) unanswered() {
	open := none
	if len(j.got.Requests) > 0 {
		open = strings.Join(j.got.Requests, ", ")
	}
	for _, line := range j.got.Unanswered {
		for _, a := range j.o.Answers {
			if a.Pos.Line == line {
				j.fail("answers", line, "an open request that "+quote(a.To.V)+" names", open)
			}
		}
	}
}
