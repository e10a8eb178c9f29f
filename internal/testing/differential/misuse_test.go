package differential

import (
	"math/rand/v2"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
)

// misuses are calls about requests that have to be refused.
var misuses = []scriptdriver.Try{
	{What: "an answer of another node", Want: graphgen.ErrOtherNode.Error(), By: scriptdriver.ByOthers},
	{What: "an answer to a request that was not chosen", Want: graphgen.ErrOtherNode.Error(), At: scriptdriver.AtNext},
	{What: "an answer to an unknown request", Want: graphgen.ErrOtherNode.Error(), ID: "unknown"},
	{What: "an answer to another machine", Want: graphgen.ErrOtherMachine.Error(), Alien: true},
	{What: "an answer without a pause", Want: graphgen.ErrNoPause.Error(), At: scriptdriver.AtNone},
	{What: "an answer to a pause of no run", Want: graphgen.ErrNoPause.Error(), At: scriptdriver.AtNoRun},
	{What: "an answer in a context that has ended", Want: scriptdriver.Interrupted, Ended: true},
	{What: "an answer to several requests", Want: graphgen.ErrSeveral.Error(), By: scriptdriver.ByType, At: scriptdriver.AtSeveral},
	{What: "a second answer", Want: graphgen.ErrResumed.Error(), Answered: true},
	{What: "the zero answer", Want: scriptdriver.Invalid, By: scriptdriver.ByZero},
	{What: "a decision without a value", Want: scriptdriver.Invalid, For: decisions, By: scriptdriver.ByType,
		Entry: &scriptdriver.Entry{Kind: scriptdriver.Undecided}},
	{What: "arguments of a denial", Want: scriptdriver.Invalid, For: decisions[1:], By: scriptdriver.ByType,
		Entry: &scriptdriver.Entry{Kind: scriptdriver.Overrules, Calls: []chat.ToolCall{{Name: "look", Arguments: `{"query": "1"}`}}}},
	{What: "arguments that do not fit", Want: scriptdriver.Invalid, For: decisions[1:], By: scriptdriver.ByType,
		Entry: &scriptdriver.Entry{Calls: []chat.ToolCall{{Name: "look", Arguments: `{"query": "a text that has more letters than max_length"}`}}}},
}

// misused lists what is wrong with misuses.
func misused() (what []string) {
	for _, try := range misuses {
		what = append(what, try.What)
	}
	return what
}

// decisions are the kinds of requests that are answered with a yes or a no.
var decisions = []string{string(graphgen.RequestDecision), string(graphgen.RequestToolApproval)}

// noAnswers are texts that answer no request.
var noAnswers = []string{``, `{`, `[`, `7`, `null`, `"maybe"`, `"approve`, `"approve" "deny"`, `[true]`, `{"note": [[]], "total": "x"}`, `{"other": 1}`}

// methods are those by which a request is answered.
var methods = []string{"", scriptdriver.ByEvents, scriptdriver.ByType}

// randomActs are what is done at the pauses of a run that is misused.
func randomActs(r *rand.Rand) (acts []scriptdriver.Act) {
	right := func() scriptdriver.Try {
		return scriptdriver.Try{By: methods[r.IntN(3)], At: []string{"", scriptdriver.AtFirst, scriptdriver.AtOnly}[r.IntN(3)]}
	}
	for range 3 + r.IntN(4) {
		act := scriptdriver.Act{Right: []scriptdriver.Try{right()}, Cancel: max(-1, r.IntN(12)-5), Options: r.IntN(4)}
		for range r.IntN(4) {
			try := misuses[r.IntN(len(misuses))]
			if try.Nth = r.IntN(8); try.By == "" && try.At != scriptdriver.AtNone && try.At != scriptdriver.AtNext && try.ID == "" {
				try.By = methods[r.IntN(3)]
			}
			act.Wrong = append(act.Wrong, try)
		}
		if r.IntN(6) == 0 {
			for _, text := range noAnswers {
				try := scriptdriver.Try{What: "an answer that is not of its type", Want: scriptdriver.Invalid, Nth: r.IntN(8), Text: &text}
				act.Wrong = append(act.Wrong, try)
			}
		}
		if r.IntN(6) == 0 {
			act.Right = append(act.Right, right(), right())
		}
		if r.IntN(2) == 0 {
			other := right()
			other.Nth = 1 + r.IntN(8)
			act.Other = &other
		}
		acts = append(acts, act)
	}
	return acts
}
