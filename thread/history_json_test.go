package thread_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/graphgen/graphgen/thread"
)

func TestStepJSON(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
	s := thread.Step{
		Seq: 7, Time: at, Bytes: 90, Snapshot: true, Run: "t.1", Forked: thread.Origin{Thread: "other", Seq: 3}, TakesBack: 5,
		Changes: []thread.Change{{
			At: "/look.law", Node: "judge", Ended: true, Transition: "judge>end", Next: "end", Failed: "no \xff network",
			Written: []thread.Value{{Name: "log", JSON: []byte(`["two"]`), Added: true}, {Name: "text", JSON: []byte(`"<b>"`)}},
		}},
		Calls: []thread.Call{{At: "/look.law", Key: "model.0.1.1", JSON: []byte(`{"text":"yes"}`)}}, Open: []string{"approve.1"},
		Answers: []thread.Answered{{ID: "sign.1", Decision: "late", Late: at}}, Paused: true, Ended: "failed", Failure: "broken",
	}
	const want = `{"seq":7,"time":"2026-03-01T12:30:00Z","run":"t.1","forked_from":"other","forked_after":3,"takes_back":5,` +
		`"changes":[{"at":"/look.law","node":"judge","ended":true,"transition":"judge>end","next":"end",` +
		`"failed":"no � network","written":{"text":"<b>"},"added":{"log":["two"]}}],` +
		`"calls":[{"at":"/look.law","key":"model.0.1.1","result":{"text":"yes"}}],` +
		`"answers":[{"id":"sign.1","decision":"late","late":"2026-03-01T12:30:00Z"}],` +
		`"open":["approve.1"],"paused":true,"ended":"failed","failure":"broken"}`
	if got, err := s.AppendJSON([]byte("data: ")); err != nil || string(got) != "data: "+want {
		t.Errorf("the JSON is\n%s, %v, want\n%s", got, err, want)
	}
	if got, err := (&thread.Step{Seq: 1, Time: at}).AppendJSON(nil); err != nil || string(got) != `{"seq":1,"time":"2026-03-01T12:30:00Z"}` {
		t.Errorf("an empty step is %s, %v", got, err)
	}
	if got, err := json.Marshal(s); err != nil || !json.Valid(got) {
		t.Errorf("encoding/json gives %s, %v", got, err)
	}
}
