package river

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/river/rivertest"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// A sealed claim is as one with secret fields.
type sealed struct{ *rivertest.Claim }

func (m sealed) Durable() *durable.Machine {
	d := m.Claim.Durable()
	d.Secret = true
	return d
}

// noKeys are the keys of a sealed claim, of which nothing is written.
type noKeys struct{ thread.Sealer }

// secret returns a machine with secret fields.
func secret(t *testing.T, q *Queue) *Machine {
	t.Helper()
	m, err := rivertest.NewClaim(&clerk{}, thread.With(thread.Settings{Store: q.Store(), Seal: noKeys{}}))
	if err != nil {
		t.Fatal(err)
	}
	return Durable(sealed{m})
}

// TestMachineChecks holds what is refused before it is a job, where the process has the machine.
func TestMachineChecks(t *testing.T) {
	q := made(t)
	ctx := t.Context()
	m := machine(t, q, &clerk{})
	known, secret := Durable(m), secret(t, q)
	if _, err := m.Thread("asks").Start(ctx, claim("asks", 1, "sign")); graphgen.AsPause(err) == nil {
		t.Fatal(err)
	}
	_, asked := status(t, m, "asks")
	for name, row := range map[string]struct {
		err  func() error
		want string
	}{
		"an input that is not valid": {func() error {
			_, err := q.Start(ctx, Order{Graph: "claim", Thread: "x", Machine: known, Input: json.RawMessage(`{"claim": 7}`)})
			return err
		}, "the input is not valid"},
		"another graph": {func() error {
			_, err := q.Start(ctx, Order{Graph: "order", Thread: "x", Machine: known, Input: claim("x", 1, "")})
			return err
		}, `river: the machine of graph "claim" is given for graph "order"`},
		"a secret input": {func() error {
			_, err := q.Start(ctx, Order{Graph: "claim", Thread: "x", Machine: secret, Input: claim("x", 1, "")})
			return err
		}, `river: graph "claim": it has secret fields`},
		"a secret answer": {func() error {
			_, err := q.Answer(ctx, Reply{Graph: "claim", Thread: "asks", Machine: secret, Request: asked[0].ID, Answer: "approve"})
			return err
		}, `river: graph "claim": it has secret fields`},
		"an answer that is not valid": {func() error {
			_, err := q.Answer(ctx, Reply{Graph: "claim", Thread: "asks", Machine: known, Request: asked[0].ID, Answer: "perhaps"})
			return err
		}, "neither approve nor deny"},
		"an answer to nothing that is asked": {func() error {
			_, err := q.Answer(ctx, Reply{Graph: "claim", Thread: "asks", Machine: known, Request: "none", Answer: "approve"})
			return err
		}, "has no request of that node or ID"},
	} {
		if err := row.err(); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", name, err, row.want)
		}
	}
	if n := count(t, q, `select count(*) from %sriver_job where kind <> 'graphgen.deadline'`); n != 0 {
		t.Errorf("%d jobs of what was refused", n)
	}
	held, _, err := q.Store().Acquire(ctx, "asks", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Answer(ctx, Reply{Graph: "claim", Thread: "asks", Machine: known, Request: asked[0].ID, Answer: "approve"}); err != nil {
		t.Errorf("an answer while something holds the thread: %v", err)
	}
	if _, err := q.Start(ctx, Order{Graph: "claim", Thread: "x", Machine: known, Input: claim("x", 1, "")}); err != nil {
		t.Error(err)
	}
	if err := q.Store().Release(ctx, held); err != nil {
		t.Fatal(err)
	}
	work(t, q, Worker{Machines: []*Machine{known}})
	ends(t, m, "asks", "paid", 1)
	ends(t, m, "x", "paid", 1)
}
