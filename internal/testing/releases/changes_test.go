package releases

import "github.com/graphgen/graphgen/spec/compat"

// released is the graph of the release.
const released = `graph: letter
durable: true
entry: draft
types:
  Grade: {enum: [low, high]}
  Verdict: {points: int, grade: Grade, notes: "[]string"}
  Form: {union: {round: {radius: float}, flat: {width: float}}}
state:
  topic: string
  text: {type: string, max_length: 40}
  verdict: "?Verdict"
  score: {type: int, min: 0, max: 100}
  form: Form
  log: {type: "[]string", merge: append}
input: topic
output: [text, verdict, score, form, log]
nodes:
  draft: {reads: topic, writes: [text, verdict, score, form, log], next: polish}
  polish: {reads: text, writes: log, next: ask}
  ask: {kind: human, instructions: "Shall it be sent?", reads: text, next: send}
  send: {reads: text, writes: log}
`

// drafts is the body of its node draft.
const drafts = `	out = LetterDraftOut{
		Text: "otters swim", Verdict: &Verdict{Points: 7, Grade: GradeHigh, Notes: []string{"fine"}}, Score: 42,
		Form: FormRound{Radius: 2}, Log: []string{"draft"},
	}
`

// finished is its output.
const finished = `{"text":"otters swim","verdict":{"points":7,"grade":"high","notes":["fine"]},"score":42,"form":{"type":"round",` +
	`"radius":2},"log":["draft","polish","send"]}`

// A change is a kind of change of the graph. A thread of the release waits at node ask, or was killed, and the newer graph
// goes on with it.
type change struct {
	name       string
	then       []string // the change that the next release has; nil: there is none
	change     []string // texts, each before the one that replaces it
	kill       string   // the node at which the older process is killed; empty: it waits
	verdict    compat.Verdict
	unreleased bool   // the newer version has no lock file
	migrations string // what the author has written
	refused    string // the end of the error with which a thread is refused, of a migration while it is not written
	output     string // of the thread that goes on; empty: none does
}

// The errors of migrations that are not written, and parts of migrations.
const (
	unwritten  = "from version 1 to version 2: the migration is not written"
	unwritten2 = "from version 2 to version 3: the migration is not written"

	state = `	now = LetterStateV2{Topic: old.Topic, Text: old.Text, Score: old.Score, Log: old.Log}
	if v := old.Verdict; v != nil {
		now.Verdict = &VerdictV2{Points: v.Points, Grade: GradeV2(v.Grade), Notes: v.Notes}
	}
	now.Form = FormV2Round{Radius: old.Form.(FormV1Round).Radius}
`
	migration = "func (letterMigrations) V1ToV2(old LetterStateV1) (now LetterStateV2, err error) {\n"
	back      = "\treturn\n}\n"
	copying   = migration + state + back
	nodes     = "\nfunc (letterMigrations) V1ToV2Node(node string, state LetterStateV2) (to string, err error) {\n\tif node != " +
		"\"ask\" || state.Score != 42 {\n\t\treturn \"draft\", nil\n\t}\n"
)

const head = `{"text":"otters swim","verdict":{"points":7,"grade":"high","notes":["fine"]},"score":42,"form":{"type":"round","radius":2}`

var changes = []change{
	// What threads do not depend on.
	{name: "another prompt", change: []string{"Shall it be sent?", "Send it?"}, verdict: compat.Same, output: finished},
	{name: "another order",
		change: []string{"  topic: string\n", "", "state:\n", "state:\n  topic: string\n", "  send: {reads: text, writes: log}\n",
			"", "nodes:\n", "nodes:\n  send: {reads: text, writes: log}\n"}, verdict: compat.Same, output: finished},
	{name: "another transition",
		change: []string{"next: polish", "next: ask", "next: send", "next: polish", "writes: log, next: ask", "writes: log, next: send"}, verdict: compat.Same,
		output: head + `,"log":["draft","polish","polish","send"]}`},
	{name: "another transition, killed before it", kill: "polish",
		change: []string{"{reads: topic, writes: [text, verdict, score, form, log], next: polish}",
			"{reads: topic, writes: [text, verdict, score, form, log], next: ask}", "writes: log, next: ask",
			"writes: log, next: send", "reads: text, next: send", "reads: text, next: polish"},
		verdict: compat.Same, output: finished},
	{name: "another doc", change: []string{"entry: draft", "entry: draft\ndoc: A letter."}, verdict: compat.Same, output: finished},
	{name: "another limit of steps", change: []string{"entry: draft", "entry: draft\nlimits: {max_steps: 9}"}, verdict: compat.Same, output: finished},

	// What the newer version reads as it is, or by the names that the spec declares.
	{name: "a type by another name", change: []string{"Verdict", "Judgement"}, verdict: compat.Compatible, output: finished},
	{name: "a field with a default",
		change:  []string{"  form: Form\n", "  form: Form\n  tone: {type: string, default: plain}\n", "output: [", "output: [tone, "},
		verdict: compat.Compatible,
		output:  `{"tone":"plain",` + finished[1:]},
	{name: "a field of the input with a default",
		change: []string{"  form: Form\n", "  form: Form\n  tone: {enum: [plain, formal], default: formal}\n", "input: topic",
			"input: [topic, tone]", "output: [", "output: [tone, "}, verdict: compat.Compatible,
		output: `{"tone":"formal",` + finished[1:]},
	{name: "an optional field", change: []string{"  form: Form\n", "  form: Form\n  note: \"?string\"\n", "output: [", "output: [note, "},
		verdict: compat.Compatible, output: finished},
	{name: "a field that runs add to",
		change:  []string{"  form: Form\n", "  form: Form\n  sum: {type: int, merge: sum}\n", "output: [", "output: [sum, "},
		verdict: compat.Compatible, output: `{"sum":0,` + finished[1:]},
	{name: "a field of a type with a default", change: []string{"points: int,", "points: int, by: {type: string, default: me},"}, verdict: compat.Compatible,
		output: `{"text":"otters swim","verdict":{"points":7,"by":"me","grade":"high","notes":["fine"]},"score":42,` +
			`"form":{"type":"round","radius":2},"log":["draft","polish","send"]}`},
	{name: "a value", change: []string{"[low, high]", "[low, mid, high]"}, verdict: compat.Compatible, output: finished},
	{name: "a variant", change: []string{"round: {radius", "dot: {at: int}, round: {radius"}, verdict: compat.Compatible, output: finished},
	{name: "a node",
		change: []string{"reads: text, next: send", "reads: text, next: stamp", "  send:",
			"  stamp: {reads: text, writes: log, next: send}\n  send:"}, verdict: compat.Compatible,
		output: head + `,"log":["draft","polish","stamp","send"]}`},
	{name: "a wider limit", change: []string{"max_length: 40", "max_length: 80"}, verdict: compat.Compatible, output: finished},
	{name: "an optional type", change: []string{"score: {type: int,", "score: {type: \"?int\","}, verdict: compat.Compatible, output: finished},
	{name: "a string for an enum", change: []string{"grade: Grade", "grade: string"}, verdict: compat.Compatible, output: finished},
	{name: "a float for an int", change: []string{"score: {type: int,", "score: {type: float,"}, verdict: compat.Compatible, output: finished},
	{name: "any for a type", change: []string{"  form: Form", "  form: any"}, verdict: compat.Compatible, output: finished},
	{name: "another merge rule", change: []string{"merge: append", "merge: last"}, verdict: compat.Compatible, output: head + `,"log":["send"]}`},
	{name: "a node less", change: []string{"next: polish", "next: ask", "  polish: {reads: text, writes: log, next: ask}\n", ""},
		verdict: compat.Compatible, output: finished},
	{name: "a node less, killed there", kill: "polish",
		change: []string{"next: polish", "next: ask", "  polish: {reads: text, writes: log, next: ask}\n", ""}, verdict: compat.Compatible,
		refused: `the graph has no node "polish"`},
	{name: "a node that another one runs, killed there", kill: "polish",
		change: []string{"next: polish", "next: again", "  polish: {reads: text, writes: log, next: ask}\n",
			"  again: {kind: retry, body: polish, next: ask}\n  polish: {reads: text, writes: log}\n"}, verdict: compat.Compatible,
		refused: `the graph has no outermost node "polish"`},
	{name: "a state field by another name",
		change: []string{"  text: {", "  body: {renamed_from: text, ", "reads: text", "reads: body", "[text, ", "[body, "}, verdict: compat.Compatible,
		output: `{"body":` + finished[len(`{"text":`):]},
	{name: "a state list by another name",
		change: []string{"  log: {", "  journal: {renamed_from: log, ", "log]", "journal]", "writes: log", "writes: journal"}, verdict: compat.Compatible,
		output: head + `,"journal":["draft","polish","send"]}`},
	{name: "a field of a type by another name", change: []string{"points: int", "marks: {type: int, renamed_from: points}"}, verdict: compat.Compatible,
		output: `{"text":"otters swim","verdict":{"marks":7,"grade":"high","notes":["fine"]},"score":42,"form":{"type":"round",` +
			`"radius":2},"log":["draft","polish","send"]}`},
	{name: "a value by another name", change: []string{"{enum: [low, high]}", "{enum: [low, top], renamed_from: {top: high}}"}, verdict: compat.Compatible,
		output: `{"text":"otters swim","verdict":{"points":7,"grade":"top","notes":["fine"]},"score":42,"form":{"type":"round",` +
			`"radius":2},"log":["draft","polish","send"]}`},
	{name: "a node by another name", change: []string{"  ask: {", "  check: {renamed_from: ask, ", "next: ask", "next: check"},
		verdict: compat.Compatible, output: finished},
	{name: "a node by another name, killed there", kill: "send",
		change: []string{"  send: {", "  post: {renamed_from: send, ", "next: send", "next: post"}, verdict: compat.Compatible,
		output: head + `,"log":["draft","polish","post"]}`},
	{name: "names of two releases", then: []string{"  text: {", "  body: {renamed_from: text, ", "reads: text", "reads: body", "[text, ", "[body, "},
		change: []string{"  body: {renamed_from: text, ", "  content: {renamed_from: body, ", "reads: body", "reads: content",
			"[body, ", "[content, "}, verdict: compat.Compatible,
		output: `{"content":` + finished[len(`{"text":`):]},

	// What the author decides.
	{name: "a field without a value",
		change: []string{"  form: Form\n", "  form: Form\n  title: string\n", "[text, verdict", "[title, text, verdict"}, verdict: compat.Migration,
		refused: unwritten, migrations: migration + state + "\tnow.Title = \"On \" + old.Topic\n" + back, output: `{"title":"On otters",` + finished[1:]},
	{name: "a field less", change: []string{"  form: Form\n", "", ", form", ""}, verdict: compat.Migration, refused: unwritten,
		migrations: migration + "\tnow = LetterStateV2{Topic: old.Topic, Text: old.Text, Score: old.Score, Log: old.Log}\n\tif v " +
			":= old.Verdict; v != nil {\n\t\tnow.Verdict = &VerdictV2{Points: v.Points, Grade: GradeV2(v.Grade), Notes: v.Notes}\n\t}\n" + back,
		output: `{"text":"otters swim","verdict":{"points":7,"grade":"high","notes":["fine"]},"score":42,"log":["draft","polish","send"]}`},
	{name: "another type", change: []string{"score: {type: int, min: 0, max: 100}", "score: string"}, verdict: compat.Migration, refused: unwritten,
		migrations: migration + replacedScore + back,
		output: `{"text":"otters swim","verdict":{"points":7,"grade":"high","notes":["fine"]},"score":"42 %",` +
			`"form":{"type":"round","radius":2},"log":["draft","polish","send"]}`},
	{name: "another type in a type", change: []string{"points: int", "points: string"}, verdict: compat.Migration, refused: unwritten,
		migrations: migration + replacedPoints + back,
		output: `{"text":"otters swim","verdict":{"points":"7","grade":"high","notes":["fine"]},"score":42,"form":{"type":"round",` +
			`"radius":2},"log":["draft","polish","send"]}`},
	{name: "a required type", change: []string{"\"?Verdict\"", "Verdict"}, verdict: compat.Migration, refused: unwritten,
		migrations: migration + replacedVerdict + back, output: finished},
	{name: "a value less", change: []string{"[low, high]", "[low, mid]"}, verdict: compat.Migration, refused: unwritten,
		migrations: migration + state + "\tnow.Verdict.Grade = GradeV2Mid\n" + back,
		output: `{"text":"otters swim","verdict":{"points":7,"grade":"mid","notes":["fine"]},"score":42,"form":{"type":"round",` +
			`"radius":2},"log":["draft","polish","send"]}`},
	{name: "a variant less", change: []string{"round: {radius: float}, ", "dot: {at: int}, "}, verdict: compat.Migration, refused: unwritten,
		migrations: migration + replacedForm + back,
		output: `{"text":"otters swim","verdict":{"points":7,"grade":"high","notes":["fine"]},"score":42,"form":{"type":"flat",` +
			`"width":4},"log":["draft","polish","send"]}`},
	{name: "another discriminator",
		change: []string{"Form: {union: {round: {radius: float}, flat: {width: float}}}",
			"Form: {discriminator: is, union: {round: {radius: float}, flat: {width: float}}}"}, verdict: compat.Migration,
		refused: unwritten, migrations: copying,
		output: `{"text":"otters swim","verdict":{"points":7,"grade":"high","notes":["fine"]},"score":42,"form":{"is":"round",` +
			`"radius":2},"log":["draft","polish","send"]}`},
	{name: "a narrower limit", change: []string{"max_length: 40", "max_length: 6"}, verdict: compat.Migration, refused: unwritten,
		migrations: migration + state + "\tnow.Text = now.Text[:6]\n" + back, output: `{"text":"otters",` + finished[len(`{"text":"otters swim",`):]},
	{name: "another pattern", change: []string{"max_length: 40", "max_length: 40, pattern: \"^[a-z ]+$\""}, verdict: compat.Migration,
		refused: unwritten, migrations: copying, output: finished},
	{name: "a list of another type", change: []string{"notes: \"[]string\"", "notes: \"[]Grade\""}, verdict: compat.Migration, refused: unwritten,
		migrations: migration + replacedNotes + back,
		output: `{"text":"otters swim","verdict":{"points":7,"grade":"high","notes":["low"]},"score":42,"form":{"type":"round",` +
			`"radius":2},"log":["draft","polish","send"]}`},
	{name: "a node less at which threads wait",
		change: []string{"writes: log, next: ask", "writes: log, next: send",
			"  ask: {kind: human, instructions: \"Shall it be sent?\", reads: text, next: send}\n", ""}, verdict: compat.Migration, refused: unwritten,
		migrations: copying + nodes + "\treturn \"send\", nil\n}\n", output: finished},
	{name: "such a node of another kind",
		change:  []string{"{kind: human, instructions: \"Shall it be sent?\", reads: text, next: send}", "{reads: text, writes: log, next: send}"},
		verdict: compat.Migration, refused: unwritten,
		migrations: copying + nodes + "\treturn \"ask\", nil\n}\n", output: head + `,"log":["draft","polish","ask","send"]}`},
	{name: "such a node within another",
		change: []string{"writes: log, next: ask", "writes: log, next: each",
			"  ask: {kind: human, instructions: \"Shall it be sent?\", reads: text, next: send}\n",
			"  each: {kind: loop, body: ask, until: state.Score > 0, max_iterations: 3, next: send}\n  ask: {kind: human, " +
				"instructions: \"Shall it be sent?\", reads: text}\n"}, verdict: compat.Migration, refused: unwritten,
		migrations: copying + nodes + "\treturn \"each\", nil\n}\n", output: finished},
	{name: "a migration to a node that is not there",
		change: []string{"writes: log, next: ask", "writes: log, next: send",
			"  ask: {kind: human, instructions: \"Shall it be sent?\", reads: text, next: send}\n", ""}, verdict: compat.Migration,
		migrations: copying + nodes2, refused: `the graph has no node "nowhere"`},
	{name: "a migration, and a name", then: []string{"score: {type: int, min: 0, max: 100}", "score: string"},
		change:  []string{"  score: string", "  rating: {type: string, renamed_from: score}", "verdict, score", "verdict, rating"},
		verdict: compat.Migration, refused: unwritten,
		migrations: migration + replacedScore + back,
		output: `{"text":"otters swim","verdict":{"points":7,"grade":"high","notes":["fine"]},"rating":"42 %",` +
			`"form":{"type":"round","radius":2},"log":["draft","polish","send"]}`},
	{name: "a name, and a migration, killed", kill: "send", then: []string{"  send: {", "  post: {renamed_from: send, ", "next: send", "next: post"},
		change: []string{"renamed_from: send, ", "", "score: {type: int, min: 0, max: 100}", "score: string"}, verdict: compat.Migration, refused: unwritten2,
		migrations: "func (letterMigrations) V2ToV3(old LetterStateV2) (now LetterStateV3, err error) {\n" + laterScore + back,
		output: `{"text":"otters swim","verdict":{"points":7,"grade":"high","notes":["fine"]},"score":"42 %",` +
			`"form":{"type":"round","radius":2},"log":["draft","polish","post"]}`},
	{name: "two migrations", then: []string{"score: {type: int, min: 0, max: 100}", "score: string"},
		change: []string{"  topic: string\n", "  topic: string\n  title: string\n", "[text, verdict", "[title, text, verdict"}, verdict: compat.Migration,
		migrations: migration + replacedScore + back + "\nfunc (letterMigrations) V2ToV3(old LetterStateV2) (now " +
			"LetterStateV3, err error) {\n" + laterTitle + back,
		output: `{"title":"On otters","text":"otters swim","verdict":{"points":7,"grade":"high","notes":["fine"]},"score":"42 %",` +
			`"form":{"type":"round","radius":2},"log":["draft","polish","send"]}`},

	{name: "a default that a migration reads",
		then:   []string{"  form: Form\n", "  form: Form\n  tone: {type: string, default: plain}\n", "output: [", "output: [tone, "},
		change: []string{"score: {type: int, min: 0, max: 100}", "score: string"}, verdict: compat.Migration,
		migrations: "func (letterMigrations) V2ToV3(old LetterStateV2) (now LetterStateV3, err error) {\n" + laterScore +
			"\tnow.Tone = old.Tone + \" and short\"\n" + back,
		output: `{"tone":"plain and short","text":"otters swim","verdict":{"points":7,"grade":"high","notes":["fine"]},"score":"42 ` +
			`%","form":{"type":"round","radius":2},"log":["draft","polish","send"]}`},

	// Without the releases, a thread goes on by the names that are left.
	{name: "a field less, without a release", unreleased: true, change: []string{"  form: Form\n", "", ", form", ""},
		verdict: compat.Migration, refused: `the graph has no field "form"`},
	{name: "a node less, without a release", unreleased: true,
		change: []string{"writes: log, next: ask", "writes: log, next: send",
			"  ask: {kind: human, instructions: \"Shall it be sent?\", reads: text, next: send}\n", ""}, verdict: compat.Migration,
		refused: `the graph has no node "ask"`},
	{name: "a value, without a release", unreleased: true, change: []string{"[low, high]", "[low, mid, high]"}, verdict: compat.Compatible, output: finished},
}

// Parts of migrations.
const (
	verdictV2 = "\tif v := old.Verdict; v != nil {\n\t\tnow.Verdict = &VerdictV2{Points: v.Points, Grade: GradeV2(v.Grade), Notes: v.Notes}\n\t}\n"
	formV2    = "\tnow.Form = FormV2Round{Radius: old.Form.(FormV1Round).Radius}\n"

	replacedScore  = "\tnow = LetterStateV2{Topic: old.Topic, Text: old.Text, Score: strconv.Itoa(old.Score) + \" %\", Log: old.Log}\n" + verdictV2 + formV2
	replacedPoints = "\tnow = LetterStateV2{Topic: old.Topic, Text: old.Text, Score: old.Score, Log: old.Log}\n" + formV2 +
		"\tv := old.Verdict\n\tnow.Verdict = &VerdictV2{Points: strconv.Itoa(v.Points), Grade: GradeV2(v.Grade), Notes: v.Notes}\n"
	replacedVerdict = "\tnow = LetterStateV2{Topic: old.Topic, Text: old.Text, Score: old.Score, Log: old.Log}\n" + formV2 +
		"\tif v := old.Verdict; v != nil {\n\t\tnow.Verdict = VerdictV2{Points: v.Points, Grade: GradeV2(v.Grade), Notes: v.Notes}\n\t}\n"
	replacedForm = "\tnow = LetterStateV2{Topic: old.Topic, Text: old.Text, Score: old.Score, Log: old.Log}\n" + verdictV2 +
		"\tnow.Form = FormV2Flat{Width: 2 * old.Form.(FormV1Round).Radius}\n"
	replacedNotes = "\tnow = LetterStateV2{Topic: old.Topic, Text: old.Text, Score: old.Score, Log: old.Log}\n" + formV2 +
		"\tnow.Verdict = &VerdictV2{Points: old.Verdict.Points, Grade: GradeV2(old.Verdict.Grade), Notes: []GradeV2{GradeV2Low}}\n"

	verdictV3  = "\tif v := old.Verdict; v != nil {\n\t\tnow.Verdict = &VerdictV3{Points: v.Points, Grade: GradeV3(v.Grade), Notes: v.Notes}\n\t}\n"
	formV3     = "\tnow.Form = FormV3Round{Radius: old.Form.(FormV2Round).Radius}\n"
	laterScore = "\tnow = LetterStateV3{Topic: old.Topic, Text: old.Text, Score: strconv.Itoa(old.Score) + \" %\", Log: old.Log}\n" + verdictV3 + formV3
	laterTitle = "\tnow = LetterStateV3{Topic: old.Topic, Title: \"On \" + old.Topic, Text: old.Text, Score: old.Score, Log: old.Log}\n" + verdictV3 + formV3

	nodes2 = "\nfunc (letterMigrations) V1ToV2Node(node string, state LetterStateV2) (string, error) {\n\treturn \"nowhere\", nil\n}\n"
)
