package golden_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/sealed"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
	"github.com/graphgen/graphgen/thread/seal"
)

// secretMark is the secret: each value of a secret field, and each text that repeats one, has it.
const secretMark = "the-SECRET-of-this-test"

// A practice does the work of the graph sealed. Everything that it gives has the mark, but for fields that are not secret.
type practice struct {
	bank  bank
	mu    sync.Mutex
	tries map[string]int
}

func (p *practice) Register(ctx context.Context, _ sealed.SealedRegisterIn) (sealed.SealedRegisterOut, error) {
	p.bank.did(ctx)
	_, err := thread.Once(ctx, "file", func(context.Context) ([]byte, error) { return []byte(secretMark), nil })
	return sealed.SealedRegisterOut{Ticket: 7}, err
}

func (p *practice) Send(ctx context.Context, in sealed.SealedSendIn) (sealed.SealedSendOut, error) {
	p.bank.did(ctx)
	return sealed.SealedSendOut{Sent: in.Ticket + 1}, nil
}

func (p *practice) Look(ctx context.Context, in sealed.ClinicLookIn) (sealed.ClinicLookOut, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tries[in.Complaint]++; p.tries[in.Complaint] == 1 {
		return sealed.ClinicLookOut{}, graphgen.Transient(errors.New("cannot look at " + in.Complaint))
	}
	p.bank.did(ctx)
	return sealed.ClinicLookOut{Finding: "found " + in.Complaint}, nil
}

func (p *practice) Weigh(ctx context.Context, in sealed.ClinicWeighIn) error {
	p.bank.did(ctx)
	return errors.New("cannot weigh " + in.Complaint)
}

func (p *practice) Chart(ctx context.Context, in sealed.ClinicChartArgs) (string, error) {
	p.bank.did(ctx)
	return "the chart of " + in.Name, nil
}

func (p *practice) Find(ctx context.Context) (sealed.OfficeFindOut, error) {
	p.bank.did(ctx)
	return sealed.OfficeFindOut{Room: "the yellow room", Note: "for " + secretMark}, nil
}

func (p *practice) Clean(ctx context.Context, in sealed.OfficeCleanIn) error {
	p.bank.did(ctx)
	if !strings.Contains(in.Note, secretMark) {
		return errors.New("the note is " + in.Note)
	}
	return nil
}

// newSealed makes the machine. Its model asks for the chart once in each conversation.
func newSealed(t *testing.T, bank bank, set thread.Settings) *sealed.Sealed {
	t.Helper()
	return sealedWith(t, bank, thread.With(set))
}

func sealedWith(t *testing.T, bank bank, in thread.Option) *sealed.Sealed {
	t.Helper()
	p := &practice{bank: bank, tries: map[string]int{}}
	model := chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		if len(req.Tools) > 0 && req.Messages[len(req.Messages)-1].Role == chat.RoleUser {
			call := chat.ToolCall{ID: "1", Name: "chart", Arguments: `{"name":"` + secretMark + `"}`}
			return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{call}}, Finish: chat.ToolCalls}, nil
		}
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "advice for " + secretMark}, Finish: chat.Stop}, nil
	})
	office, err := sealed.NewOffice(p)
	if err != nil {
		t.Fatal(err)
	}
	clinic, err := sealed.NewClinic(p, p, model, office)
	if err != nil {
		t.Fatal(err)
	}
	m, err := sealed.NewSealed(p, model, clinic, in)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func keys(t *testing.T, ids ...string) *seal.Keys {
	t.Helper()
	var list []seal.Key
	for _, id := range ids {
		list = append(list, seal.Key{ID: id, Bytes: bytes.Repeat([]byte(id[:1]), 32)})
	}
	k, err := seal.New(list[0], list[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// leaks holds that no file of a folder has the mark, in plain text or as bytes are written in JSON.
func leaks(t *testing.T, folder string) {
	t.Helper()
	encoded := base64.StdEncoding.EncodeToString([]byte(secretMark))
	bytesOf := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, text := range []string{secretMark, encoded[:len(encoded)-4]} {
			if at := bytes.Index(data, []byte(text)); at >= 0 {
				t.Fatalf("%s has the secret: …%s…", path, data[max(0, at-300):min(len(data), at+100)])
			}
		}
		bytesOf += len(data)
		return err
	})
	if err != nil || bytesOf == 0 {
		t.Fatalf("%d bytes were looked at: %v", bytesOf, err)
	}
}

var sealedInput = sealed.SealedInput{Name: "Ada " + secretMark, Complaints: []string{"cough " + secretMark, "ache " + secretMark}}

func sealedStart(ctx context.Context, m *sealed.Sealed) (sealed.SealedOutput, error) {
	return m.Thread("t").Start(ctx, sealedInput)
}

// TestSealedKilled holds that runs with secret fields go on as others do, whichever step was the last one, and that no byte of
// the store has a secret.
func TestSealedKilled(t *testing.T) {
	for name, kept := range map[string]thread.Settings{"records": {}, "snapshots": {Snapshot: 1}} {
		t.Run(name, func(t *testing.T) {
			kept.Seal = keys(t, "one")
			killedWith(t, kept, 4, func(in thread.Option, bank *ledger) survivor {
				return survivorOf(sealedWith(t, bank, in).Thread("t"), sealedInput)
			}, map[string]string{"sign": `"approve"`})
		})
	}
}

// TestSealedStore holds that no byte of a store has a secret, while a run goes on and fails, waits and is complete, with
// records and with snapshots.
func TestSealedStore(t *testing.T) {
	for name, test := range map[string]struct {
		mode      thread.Mode
		snapshot  int
		snapshots int
	}{
		"records":   {thread.EveryStep, 0, 1},
		"snapshots": {thread.EveryStep, 1, 10},
		"pauses":    {thread.AtPauses, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			store, err := filestore.Open(folder)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			set := thread.Settings{Store: store, Seal: keys(t, "one"), Mode: test.mode, Snapshot: test.snapshot}
			m := newSealed(t, new(ledger), set)
			_, err = sealedStart(t.Context(), m)
			p := graphgen.AsPause(err)
			if p == nil || !strings.Contains(p.Requests[0].Question, secretMark) || !strings.Contains(p.Requests[0].Shown[0].Text, secretMark) {
				t.Fatalf("the run ends with %v", err)
			}
			leaks(t, folder)
			for th, err := range m.Threads(t.Context(), thread.Filter{}) {
				if err != nil || th.Requests[0].Question != p.Requests[0].Question {
					t.Errorf("the thread is listed with %v, %v", th.Requests, err)
				}
			}
			m = newSealed(t, new(ledger), set)
			out, err := m.Thread("t").Resume(t.Context(), graphgen.AnswerJSON[sealed.Sealed](p.Requests[0].ID, []byte(`"approve"`)))
			if err != nil || out.Letter != "advice for "+secretMark || out.Sent != 8 {
				t.Fatalf("the output is %+v, %v", out, err)
			}
			leaks(t, folder)
			records, err := store.History(t.Context(), "t", 0, 0)
			snapshots := len(slices.DeleteFunc(records, func(r thread.Record) bool { return !r.Snapshot }))
			if err != nil || snapshots < test.snapshots {
				t.Errorf("the thread has %d snapshots, %v", snapshots, err)
			}
		})
	}
}

// TestSealedBack holds that a thread with secrets is looked back at without keys, which leaves them out, and is forked with them
// alone.
func TestSealedBack(t *testing.T) {
	folder := t.TempDir()
	store, err := filestore.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	m := newSealed(t, new(ledger), thread.Settings{Store: store, Seal: keys(t, "one")})
	if _, err := sealedStart(t.Context(), m); err == nil {
		t.Fatal("the run does not wait")
	}
	for step, err := range durable.History(t.Context(), store, "t", 0) {
		if err != nil {
			t.Fatalf("record %d: %v", step.Seq, err)
		}
	}
	state, err := durable.StateAt(t.Context(), store, "t", 0)
	if err != nil || string(state.Field("ticket")) != "7" || state.Field("name") != nil {
		t.Errorf("the state is %+v, %v", state, err)
	}
	if err := durable.ForkThread(t.Context(), store, "t", 0, "blind"); !strings.Contains(err.Error(), `key "one" is missing`) {
		t.Errorf("a fork without keys gives %v", err)
	}
	if err := m.Thread("t").Fork(t.Context(), 2, "fork", func(s *sealed.SealedState) { s.Name, s.Letter = "Eve "+secretMark, secretMark }); err != nil {
		t.Fatal(err)
	}
	leaks(t, folder)
	_, err = m.Thread("fork").Recover(t.Context())
	if p := graphgen.AsPause(err); p == nil || !strings.Contains(p.Requests[0].Question, "Eve "+secretMark) {
		t.Errorf("the fork ends with %v", err)
	}
}

// TestSealedKeys holds what becomes of a thread whose keys are replaced, missing, or others.
func TestSealedKeys(t *testing.T) {
	store := thread.NewMemory()
	machine := func(by thread.Sealer) *sealed.Sealed {
		return newSealed(t, new(ledger), thread.Settings{Store: store, Seal: by})
	}
	if _, err := sealedStart(t.Context(), newSealed(t, new(ledger), thread.Settings{Store: store})); !errors.Is(err, thread.ErrNoKeys) {
		t.Fatalf("a machine without keys begins with %v", err)
	}
	_, err := sealedStart(t.Context(), machine(keys(t, "one")))
	p := graphgen.AsPause(err)
	if p == nil {
		t.Fatal(err)
	}
	answer := func(m *sealed.Sealed) error {
		_, err := m.Thread("t").Resume(t.Context(), graphgen.AnswerJSON[sealed.Sealed](p.Requests[0].ID, []byte(`"approve"`)))
		return err
	}
	before, _, _ := store.Load(t.Context(), "t", 0)
	for _, by := range []struct {
		keys  thread.Sealer
		wrong bool
	}{{keys(t, "two"), false}, {wrongKey(t), true}} {
		for call, err := range map[string]error{"answer": answer(machine(by.keys)),
			"recover": second(machine(by.keys).Thread("t").Recover(t.Context())), "threads": listing(t, machine(by.keys))} {
			e, ok := errors.AsType[*thread.KeyError](err)
			if !ok || e.Key != "one" || e.Wrong != by.wrong || !strings.Contains(err.Error(), `"one"`) {
				t.Errorf("%s: the error is %v", call, err)
			}
		}
	}
	if after, _, err := store.Load(t.Context(), "t", 0); err != nil || after.Seq != before.Seq || !after.Until.IsZero() {
		t.Errorf("the thread is %+v, %v; it was %+v", after, err, before)
	}
	if err := answer(machine(keys(t, "two", "one"))); err != nil {
		t.Fatal(err)
	}
	records, err := store.History(t.Context(), "t", before.Seq, 0)
	if err != nil || len(records) == 0 {
		t.Fatal(records, err)
	}
	for _, r := range records {
		if by := sealedPart(t, r.Data)["key"]; by != nil && by != "two" {
			t.Errorf("record %d is sealed with the key %v", r.Seq, by)
		}
	}
}

// sealedPart returns the sealed part of a record or of a summary.
func sealedPart(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var v struct{ Sealed map[string]any }
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v.Sealed
}

// TestSealedMoved holds that the sealed part of a record, or of a head, of another thread is refused, though it was sealed with the same
// key, under the same number.
func TestSealedMoved(t *testing.T) {
	machine := func(s thread.Store) *sealed.Sealed {
		return newSealed(t, new(ledger), thread.Settings{Store: s, Seal: keys(t, "one")})
	}
	from := func() (thread.Head, []thread.Record) {
		store := thread.NewMemory()
		if _, err := sealedStart(t.Context(), machine(store)); err == nil {
			t.Fatal("the run does not wait")
		}
		head, records, err := store.Load(t.Context(), "t", 0)
		if err != nil {
			t.Fatal(err)
		}
		return head, records
	}
	moved := func(to, other []byte) []byte {
		var v map[string]any
		if err := json.Unmarshal(to, &v); err != nil {
			t.Fatal(err)
		}
		v["sealed"] = sealedPart(t, other)
		data, err := json.Marshal(v)
		if err != nil || v["sealed"] == nil {
			t.Fatal(v, err)
		}
		return data
	}
	head, records := from()
	other, others := from()
	at := slices.IndexFunc(records, func(r thread.Record) bool { return r.Seq > 1 && sealedPart(t, r.Data) != nil })
	for name, change := range map[string]func(h *thread.Head, r []thread.Record) []thread.Record{
		"nothing": func(_ *thread.Head, r []thread.Record) []thread.Record { return r },
		"a record": func(_ *thread.Head, r []thread.Record) []thread.Record {
			r[at].Data = moved(r[at].Data, others[at].Data)
			return r[:at+1] // the next one would show the change, too
		},
		"the head": func(h *thread.Head, r []thread.Record) []thread.Record {
			h.Summary = moved(h.Summary, other.Summary)
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			store, h := thread.NewMemory(), head
			list := change(&h, slices.Clone(records))
			h.Seq = list[len(list)-1].Seq
			lease, _, err := store.Acquire(t.Context(), "t", time.Minute)
			if err == nil {
				_, err = store.Append(t.Context(), lease, h, list)
			}
			if err = errors.Join(err, store.Release(t.Context(), lease)); err != nil {
				t.Fatal(err)
			}
			_, err = machine(store).Thread("t").StateAt(t.Context(), 0)
			err = cmp.Or(err, listing(t, machine(store)))
			if e, wrong := errors.AsType[*thread.KeyError](err); wrong != (name != "nothing") || wrong && !e.Wrong || !wrong && err != nil {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// wrongKey has another key by the ID one.
func wrongKey(t *testing.T) thread.Sealer {
	k, err := seal.New(seal.Key{ID: "one", Bytes: bytes.Repeat([]byte("x"), 16)})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func second[T any](_ T, err error) error { return err }

func listing(t *testing.T, m *sealed.Sealed) error {
	return second(ended(m.Threads(t.Context(), thread.Filter{})))
}
