package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

// decided asks a node without repair whose model says those words.
func decided(t *testing.T, words string, out codec.Unmarshaler) error {
	s := on(t, &answers{turns: []chat.Message{{Text: words}}})
	n := plain("a")
	n.Repair = 0
	var d pipeline.Transcript
	d.Enter(&s.Run, &s.conversation, s.model, n, nil)
	err := d.Ask(s.Context(), nil, out)
	if err != nil && !chat.IsKind(err, chat.Malformed) {
		t.Fatalf("%q gives %T: %v", words, err, err)
	}
	return err
}

var decisions = []string{
	``, `{}`, `{"route":"note"}`, `{"route":"Note"}`, `{"route":"note","route":"gate"}`, `{"route":null}`, `{"route":1}`, `{"r\u006fute":"not\u0065"}`,
	`{"pass":true}`, `{"pass":false,"message":"why"}`, `{"message":"why"}`, `{"pass":"true"}`, `{"pass":true,"message":null}`, `{"pass":true,"pass":false}`,
	`{"choice":"1"}`, `{"choice":"none"}`, `{"choice":"3"}`, `{"choice":"01"}`, `{"choice":" 1"}`, `{"choice":1}`, `{"choice":""}`,
	"```json\n{\"route\":\"gate\"}\n```", `{"route":"x"} {"route":"gate"}`, `I say {"choice": "2"}, as {"choice": "1"} is false.`, "{\"route\":\"\xff\"}",
	strings.Repeat("[", 1000), strings.Repeat(`{"route":`, 100), `<think>{"pass":true}</think>{"pass":false}`,
}

// A route is one of the routes, and the words say so.
func FuzzPick(f *testing.F) {
	for _, words := range decisions {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		pick := pipeline.Pick{Routes: []string{"note", "gate", "end"}}
		if err := decided(t, words, &pick); err != nil {
			return
		}
		if pick.Index < 0 || pick.Index >= len(pick.Routes) {
			t.Fatalf("%q picks route %d", words, pick.Index)
		}
		if !strings.Contains(words, `\`) && !strings.Contains(words, `"`+pick.Routes[pick.Index]+`"`) {
			t.Errorf("%q picks %s", words, pick.Routes[pick.Index])
		}
	})
}

// A guard lets pass only what the words let pass, and a refusal is no failure.
func FuzzReview(f *testing.F) {
	for _, words := range decisions {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		var review pipeline.Review
		if err := decided(t, words, &review); err != nil {
			return
		}
		if review.Pass && !strings.Contains(words, "true") {
			t.Errorf("%q passes", words)
		}
		if verdict := engine.Guarded(engine.Guard{Name: "a", Err: review.Err()}); review.Pass != (verdict == nil) || !review.Pass &&
			!engine.IsGuardFailure(verdict) {
			t.Errorf("%q gives %+v, and the guard %v", words, review, verdict)
		}
	})
}

// A judge chooses an edge that it was offered, or none, or its answer is rejected and told.
func FuzzBallot(f *testing.F) {
	for _, words := range decisions {
		f.Add(words, true)
	}
	f.Fuzz(func(t *testing.T, words string, byDefault bool) {
		var rejected []graphgen.Event
		s := on(t, &answers{turns: []chat.Message{{Text: words}}}, graphgen.WithObserver(func(e graphgen.Event) {
			if e.Kind == graphgen.RouteRejected {
				rejected = append(rejected, e)
			}
		}))
		question := pipeline.Question{Default: byDefault}
		question.Offer(7, "it is good")
		question.Offer(4, "it is bad")
		way := pipeline.Judge(s.Context(), &s.Run, s.model, &pipeline.Results{}, &question)
		said := map[engine.TransitionID]string{7: "1", 4: "2", pipeline.NoneHolds: "none"}[way]
		switch {
		case !slices.Contains([]engine.TransitionID{7, 4, pipeline.NoneHolds, pipeline.NoAnswer}, way), way == pipeline.NoneHolds && !byDefault:
			t.Fatalf("%q chooses %d", words, way)
		case (way == pipeline.NoAnswer) != (len(rejected) == 1):
			t.Errorf("%q chooses %d, and was rejected %d times", words, way, len(rejected))
		case way != pipeline.NoAnswer && !strings.Contains(words, `\`) && !strings.Contains(words, `"`+said+`"`):
			t.Errorf("%q chooses %s", words, said)
		}
	})
}
