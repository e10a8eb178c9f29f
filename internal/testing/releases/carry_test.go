package releases

import (
	"strings"
	"testing"
)

// releasedCarry is a graph whose next run begins with what the last one has saved.
const releasedCarry = `graph: letter
durable: true
entry: polish
types:
  Grade: {enum: [low, high]}
state:
  topic: string
  count: {type: int, default: 0, carry: true}
  grade: {type: Grade, default: low, carry: true}
  log: {type: "[]string", merge: append, carry: true}
  hint: {type: string, default: none, carry: true}
  text: {type: string, default: ""}
input: topic
output: [count, grade, log, hint, text]
nodes:
  polish: {reads: text, writes: log, next: draft}
  draft: {reads: [topic, count, log], writes: [count, grade, hint, text], next: send}
  send: {reads: text, writes: log}
`

// counts is the body of its node draft.
const counts = "\tout = LetterDraftOut{Count: in.Count + 1, Grade: GradeHigh, Hint: \"deep\", Text: in.Topic}\n"

// failing is one of which the second run fails.
const failing = counts + "\tif in.Count > 0 {\n\t\terr = play.ErrAgain\n\t}\n"

// counted is the output of the first run.
const counted = `{"count":1,"grade":"high","log":["polish","send"],"hint":"deep","text":"otters"}`

// The next run of a thread begins with what runs of an older release have saved in fields with carry, by the names and types of the
// newer one.
func TestCarried(t *testing.T) {
	text := []string{"  text: {type: string, default: \"\"}\n", "  text: {type: string, default: new}\n"}
	names := []string{"  count: {", "  number: {renamed_from: count, ", "[count", "[number", ", count", ", number", " log]",
		" journal]", " log,", " journal,", "writes: log", "writes: journal", "  log: {", "  journal: {renamed_from: log, ",
		"{enum: [low, high]}", "{enum: [low, top], renamed_from: {top: high}}"}
	typed := []string{"  number: {renamed_from: count, type: int, default: 0,", "  number: {type: string, default: no,", "renamed_from: log, ", ""}
	const state = "now = LetterStateV2{Topic: old.Topic, Grade: GradeV2(old.Grade), Log: old.Log, Text: old.Text}\n"
	tests := []struct {
		name       string
		older      string   // the body of draft
		then       []string // the change that the next release has; nil: there is none
		change     []string
		drafts     string
		migrations string
		refused    string   // the end of the error, while the migration is not written
		runs       []string // what the older version writes
		output     string
	}{
		{name: "another default of what is not carried", older: counts, change: text, drafts: counts, runs: []string{counted},
			output: `{"count":2,"grade":"high","log":["polish","send","polish","send"],"hint":"deep","text":"otters"}`},
		{name: "names", older: counts, change: names,
			drafts: "\tout = LetterDraftOut{Number: in.Number + 1, Grade: GradeLow, Hint: in.Journal[0]}\n", runs: []string{counted},
			output: `{"number":2,"grade":"low","journal":["polish","send","polish","send"],"hint":"polish","text":""}`},
		{name: "names that are only read", older: counts,
			change: append([]string{"writes: [count, grade, hint, text]", "writes: [count, text]"}, names...),
			drafts: "\tout = LetterDraftOut{Number: in.Number + 1}\n", runs: []string{counted},
			output: `{"number":2,"grade":"top","journal":["polish","send","polish","send"],"hint":"deep","text":""}`},
		{name: "another type", older: counts, change: []string{"count: {type: int, default: 0,", "count: {type: string, default: no,"},
			drafts: "\tout = LetterDraftOut{Count: in.Count + \"!\", Grade: GradeLow}\n", runs: []string{counted}, refused: unwritten,
			migrations: migration + "\t" + state + "\tnow.Count, now.Hint = strconv.Itoa(old.Count)+\" times\", old.Hint\n" + back,
			output:     `{"count":"1 times!","grade":"low","log":["polish","send","polish","send"],"hint":"","text":""}`},
		{name: "a field less", older: counts, change: []string{"  hint: {type: string, default: none, carry: true}\n", "", ", hint", ""},
			drafts: "\tout = LetterDraftOut{Count: in.Count + 1, Grade: GradeLow}\n", runs: []string{counted}, refused: unwritten,
			migrations: migration + "\t" + state + "\tnow.Count = old.Count\n" + back,
			output:     `{"count":2,"grade":"low","log":["polish","send","polish","send"],"text":""}`},
		{name: "a field more", older: counts,
			change: []string{"  text: {", "  mood: {type: string, default: calm, carry: true}\n  text: {", "output: [", "output: [mood, "},
			drafts: counts, runs: []string{counted},
			output: `{"mood":"calm","count":2,"grade":"high","log":["polish","send","polish","send"],"hint":"deep","text":"otters"}`},
		{name: "a field that is carried no more", older: counts,
			change: []string{"count: {type: int, default: 0, carry: true}", "count: {type: int, default: 0}"}, drafts: counts, runs: []string{counted},
			output: `{"count":1,"grade":"high","log":["polish","send","polish","send"],"hint":"deep","text":"otters"}`},
		{name: "names and types of two releases", older: counts, then: names, change: typed,
			drafts: "\tout = LetterDraftOut{Number: in.Number + \"!\", Grade: GradeTop, Hint: in.Journal[1]}\n", runs: []string{counted}, refused: unwritten2,
			migrations: strings.ReplaceAll(strings.ReplaceAll(migration, "V2", "V3"), "V1",
				"V2") + "\tnow = LetterStateV3{Topic: old.Topic, Number: strconv.Itoa(old.Number) + \" times\", Grade: " +
				"GradeV3(old.Grade), Journal: old.Journal, Hint: old.Hint}\n" + back,
			output: `{"number":"1 times!","grade":"top","journal":["polish","send","polish","send"],"hint":"send","text":""}`},
		{name: "a failed run at a node that is removed", older: failing,
			change: []string{"next: draft", "next: send",
				"  draft: {reads: [topic, count, log], writes: [count, grade, hint, text], next: send}\n", ""}, runs: []string{counted, "error: "},
			output: `{"count":1,"grade":"high","log":["polish","send","polish","polish","send"],"hint":"deep","text":""}`},
	}
	older := map[string]*version{}
	versions, newer := []*version{}, []*version{}
	for body, pkg := range map[string]string{counts: "counts", failing: "failing"} {
		older[body] = &version{pkg: pkg, flow: flowOf(t, releasedCarry, ""), drafts: body}
		versions = append(versions, older[body])
	}
	for i, tt := range tests {
		v := &version{pkg: "n" + string(rune('a'+i)), drafts: tt.drafts, migrations: tt.migrations, lock: locked(t, older[counts].flow)}
		text := releasedCarry
		if tt.then != nil {
			text = replaced(t, text, tt.then)
			v.lock = locked(t, older[counts].flow, flowOf(t, text, ""))
		}
		v.flow = flowOf(t, replaced(t, text, tt.change), "")
		versions, newer = append(versions, v), append(newer, v)
	}
	binary := build(t, versions)
	for i, tt := range tests {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			p := process{binary: binary, folder: t.TempDir()}
			for _, want := range tt.runs {
				if got := p.does(t, older[tt.older], "start"); !strings.HasPrefix(got, want) {
					t.Fatalf("the older version: %s, want %s", got, want)
				}
			}
			if tt.refused != "" {
				p.unwritten = true
				was := records(t, p)
				if got := p.does(t, newer[i], "start"); !strings.HasSuffix(got, tt.refused) {
					t.Errorf("without the migration: %s", got)
				}
				if is := records(t, p); is != was {
					t.Errorf("the refused thread has changed from\n%s\nto\n%s", was, is)
				}
				p.unwritten = false
			}
			if got := p.does(t, newer[i], "start"); got != tt.output {
				t.Errorf("the run of the newer version ends with\n%s\nwant\n%s", got, tt.output)
			}
		})
	}
}
