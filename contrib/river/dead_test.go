package river

import (
	"context"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/thread"
)

// TestFinal holds which jobs no further attempt would help, and that one is made again by Retry.
func TestFinal(t *testing.T) {
	q := made(t, func(o *Options) { o.Every = calm })
	note := make(chan string)
	m := machine(t, q, &clerk{note: func(ctx context.Context, claim string) error {
		if claim != "stopped" {
			return nil
		}
		note <- claim
		<-note
		return nil
	}})
	work(t, q, Worker{Machines: []*Machine{Durable(m)}})
	start(t, q, "asks", 1, "sign")
	asked := reaches(t, m, "asks", thread.Paused)[0].ID
	started := func(name string, most int) func() (Job, error) {
		return func() (Job, error) {
			return q.Start(t.Context(), Order{Graph: "claim", Thread: name, Run: "other", Input: claim(name, most, "")})
		}
	}
	answered := func(name, request, answer string) func() (Job, error) {
		return func() (Job, error) {
			return q.Answer(t.Context(), Reply{Graph: "claim", Thread: name, Request: request, Answer: answer})
		}
	}
	for _, row := range []struct {
		name   string
		insert func() (Job, error)
		want   string
		done   bool // a retry finds it done: an answer that an attempt before may have given
	}{
		{"an answer that is not valid", answered("asks", asked, "perhaps"), "neither approve nor deny", false},
		{"an answer to nothing that is asked", answered("asks", "none", "approve"), "has no request of that node or ID", true},
		{"an answer in a thread that does not exist", answered("none", asked, "approve"), `thread "none"`, false},
		{"another run in a thread that waits", started("asks", 1), "wait", false},
		{"a run that reaches a limit", started("long", 1000), "visits", false},
		{"a run that is stopped", started("stopped", 1), "stop", false},
	} {
		job, err := row.insert()
		if err != nil {
			t.Fatal(err)
		}
		if job.Thread == "stopped" {
			<-note
			if err := m.Thread("stopped").Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			close(note)
		}
		dies := func(least int) (attempts int) { // on a slow machine an attempt may find the thread leased
			var d Dead
			until(t, "dead: "+row.name, func() bool {
				list, err := q.Dead(t.Context(), job.ID-1, 1)
				if err != nil {
					t.Fatal(err)
				}
				if len(list) > 0 {
					d = list[0]
				}
				return d.Job == job.ID && d.Attempts >= least
			})
			if !d.Final || d.Attempts > least+5 || !strings.Contains(d.Error, row.want) {
				t.Errorf("%s: %+v", row.name, d)
			}
			return d.Attempts
		}
		attempts := dies(1)
		if err := q.Retry(t.Context(), job.ID); err != nil {
			t.Fatal(err)
		}
		if row.done {
			until(t, "done: "+row.name, func() bool {
				return count(t, q, `select count(*) from %sriver_job where id = $1 and state = 'completed'`, job.ID) == 1
			})
			continue
		}
		dies(attempts + 1)
	}
	if is, _ := status(t, m, "asks"); is != thread.Paused {
		t.Errorf("the thread is %s", is)
	}
	if is, _ := status(t, m, "stopped"); is != thread.Stopped {
		t.Errorf("the thread is %s", is)
	}
	if _, err := q.Recover(t.Context(), "claim", "stopped"); err != nil {
		t.Fatal(err)
	}
	ends(t, m, "stopped", "paid", 1)
}

// TestLimitsOfOthers holds that a run is at its end for good by a limit of its own or of its subgraphs, and not by a limit of another run.
func TestLimitsOfOthers(t *testing.T) {
	run := func(id string, err error) error {
		return &graphgen.RunError{Reason: graphgen.Failed, Report: &graphgen.Report{ID: id}, Err: &graphgen.NodeError{Err: err}}
	}
	visits := &graphgen.LimitError{Limit: graphgen.LimitVisits, Max: 1}
	for _, row := range []struct {
		err   error
		final bool
	}{{run("a", visits), true}, {run("a", run("a/2.sub", visits)), true}, {run("a", run("ab/2.sub", visits)), false}, {run("a", run("b", visits)), false}} {
		if isFinal(row.err) != row.final {
			t.Errorf("%s: it is final %t", row.err, !row.final)
		}
	}
}
