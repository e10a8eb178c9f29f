package releases

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/shape"
)

// releasedSealed is a graph with a secret field, which is shown to two people.
const releasedSealed = `graph: letter
durable: true
entry: draft
state:
  topic: string
  iban: {type: string, secret: true}
  log: {type: "[]string", merge: append}
input: topic
output: [iban, log]
nodes:
  draft: {reads: topic, writes: [iban, log], next: ask}
  ask: {kind: human, instructions: "Shall it be paid?", reads: iban, next: sign}
  sign: {kind: human, instructions: "Is it right?", reads: iban, next: send}
  send: {reads: iban, writes: log}
`

const (
	account    = "the-SECRET-of-this-test"
	fills      = "\tout = LetterDraftOut{Iban: \"" + account + "\", Log: []string{\"draft\"}}\n"
	paidSealed = `{"iban":"` + account + `","log":["draft","send"]}`
)

// Threads with secret fields go on in newer releases, with keys that were rotated meanwhile. What is saved of them has the newest
// key alone, and no secret in plain text.
func TestSealedReleases(t *testing.T) {
	const state = "\tnow.Topic, now.Log = old.Topic, old.Log\n"
	older := &version{pkg: "older", flow: flowOf(t, releasedSealed, ""), drafts: fills}
	tests := []struct {
		name       string
		then       []string
		change     []string
		migrations string
		plain      bool // the newer version has no secret field
		listed     string
		output     string
	}{
		{name: "the same", change: []string{"Is it right", "Is it right now"}, listed: "ask.1 ask Shall it be paid?", output: paidSealed},
		{name: "names",
			change: []string{"  iban: {", "  account: {renamed_from: iban, ", "reads: iban", "reads: account", "[iban", "[account",
				"  ask: {", "  check: {renamed_from: ask, ", "next: ask", "next: check"},
			listed: "check.1 check Shall it be paid?", output: strings.Replace(paidSealed, "iban", "account", 1)},
		{name: "another type", change: []string{"  iban: {type: string", "  iban: {type: \"[]string\""},
			migrations: migration + state + "\tnow.Iban = []string{old.Iban}\n" + back,
			listed:     "ask.1 ask Shall it be paid?", output: `{"iban":["` + account + `"],"log":["draft","send"]}`},
		{name: "two releases", then: []string{"  iban: {", "  account: {renamed_from: iban, ", "reads: iban", "reads: account", "[iban", "[account"},
			change:     []string{"  account: {renamed_from: iban, type: string", "  account: {type: \"[]string\""},
			migrations: strings.ReplaceAll(strings.ReplaceAll(migration, "V2", "V3"), "V1", "V2") + state + "\tnow.Account = []string{old.Account}\n" + back,
			listed:     "ask.1 ask Shall it be paid?", output: `{"account":["` + account + `"],"log":["draft","send"]}`},
		{name: "a further secret field",
			change: []string{"  log: {", "  pin: {type: string, default: none, secret: true}\n  log: {", "reads: iban, writes: log",
				"reads: [iban, pin], writes: log"}, listed: "ask.1 ask Shall it be paid?", output: paidSealed},
		{name: "a field that is secret no more", change: []string{"  iban: {type: string, secret: true}", "  iban: string"},
			plain: true, listed: "ask.1 ask Shall it be paid?", output: paidSealed},
		{name: "a name that is secret no more",
			change: []string{"  iban: {type: string, secret: true}", "  account: {renamed_from: iban, type: string}", "reads: iban",
				"reads: account", "[iban", "[account"}, plain: true,
			listed: "ask.1 ask Shall it be paid?", output: strings.Replace(paidSealed, "iban", "account", 1)},
	}
	versions, newer := []*version{older}, []*version{}
	for i, tt := range tests {
		v := &version{pkg: "n" + string(rune('a'+i)), migrations: tt.migrations, lock: locked(t, older.flow)}
		text := releasedSealed
		if tt.then != nil {
			text = replaced(t, text, tt.then)
			v.lock = locked(t, older.flow, flowOf(t, text, ""))
		}
		v.flow = flowOf(t, replaced(t, text, tt.change), "")
		versions, newer = append(versions, v), append(newer, v)
	}
	binary := build(t, versions)
	for i, tt := range tests {
		for _, killed := range []bool{false, true} {
			name := strings.ReplaceAll(tt.name, " ", "_")
			if killed {
				name += ",_killed"
			}
			t.Run(name, func(t *testing.T) {
				p := process{binary: binary, folder: t.TempDir(), keys: "a", snapshots: killed}
				if got := p.does(t, older, "start"); got != "paused" {
					t.Fatal(got)
				}
				if killed {
					p.kill = "send"
					if got := p.does(t, older, "go"); got != "killed" {
						t.Fatal(got)
					}
					p.kill = ""
				}
				p.isSealed(t)
				was := records(t, p)
				p.keys = "b"
				if got := p.does(t, newer[i], "go"); !strings.HasSuffix(got, `key "a" is missing: secret fields were sealed with it`) {
					t.Errorf("without the older key: %s", got)
				}
				if is := records(t, p); is != was {
					t.Errorf("without the older key, the thread has changed from\n%s\nto\n%s", was, is)
				}
				p.keys = "b,a"
				if killed {
					if got := p.does(t, newer[i], "go"); got != tt.output {
						t.Errorf("it goes on with\n%s\nwant\n%s", got, tt.output)
					}
				} else {
					if got := p.does(t, newer[i], "recover"); got != "t paused "+tt.listed {
						t.Errorf("the list is %q, want %q", got, tt.listed)
					}
					if got := p.does(t, newer[i], "answer"); got != "paused" {
						t.Errorf("answered once: %s", got)
					}
					if got := p.does(t, newer[i], "go"); got != tt.output {
						t.Errorf("it goes on with\n%s\nwant\n%s", got, tt.output)
					}
				}
				if got := p.does(t, newer[i], "recover"); !strings.HasSuffix(got, "t completed") {
					t.Errorf("then the list is %q", got)
				}
				if !tt.plain {
					p.isSealed(t)
				}
				if killed || shape.Of(newer[i].flow).Hash() != shape.Of(older.flow).Hash() { // a snapshot was saved
					p.keys = "b"
				}
				if got := p.does(t, newer[i], "go"); got != tt.output {
					t.Errorf("read again with the keys %s, it has\n%s\nwant\n%s", p.keys, got, tt.output)
				}
			})
		}
	}
}

// isSealed holds that no file of the threads has the secret, and that they have something.
func (p process) isSealed(t *testing.T) {
	t.Helper()
	size := 0
	err := filepath.WalkDir(filepath.Join(p.folder, "threads"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if size += len(data); bytes.Contains(data, []byte(account)) {
			t.Errorf("%s has the secret", path)
		}
		return err
	})
	if err != nil || size == 0 {
		t.Errorf("%d bytes were looked at, %v", size, err)
	}
}
