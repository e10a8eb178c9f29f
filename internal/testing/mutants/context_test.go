package mutants

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

// contexts are the changes that have to do with what models are shown and tools are given: conversations,
// messages, media, prompts in files, reads of tools, guards and judges, and private fields.
var contexts = []mutation{
	{"a conversation is continued", converses},
	{"a conversation is continued otherwise", replacing(historyOf, func(r *rand.Rand, _, old string) string {
		return old + []string{
			", max_messages: 1", ", max_history: 40", ", context: scoped", ", context: ledger", ", context: auto",
			", flags: [no_history]", ", flags: [isolated_context]",
			", flags: [lightweight]", ", flags: [{retryable: {attempts: 2, wait: 1ms, on: any}}]", ", message: ''",
			", revisit_feedback: true", ", timeout: 1s", ", fail_soft: true",
		}[r.IntN(13)]
	})},
	{"a prompt has another message", among(prompt, func(r *rand.Rand, s, old string) string {
		return withKey(old,
			"message: '"+[]string{"", "Go on.", "{{" + anyField(r, s) + "}}", "{{" + anyField(r, s) + "}} or {{" + anyField(r, s) + "}}"}[r.IntN(4)]+"'")
	})},
	{"a text of a prompt is in a file", replacing(promptText, func(r *rand.Rand, s, old string) string {
		return old[:strings.Index(old, ": ")] + ": {file: said_" + anyField(r, s) + ".md}"
	})},
	{"a tool reads the state", replacing(toolOf, func(r *rand.Rand, s, old string) string { return toolReads(old, anyField(r, s)) })},
	{"a tool or a guard reads what no model is shown", confides},
	{"a guard reads the state", replacing(guardOf, func(r *rand.Rand, s, old string) string {
		return "guards: [{" + strings.TrimPrefix(old, "guards: [") + ": {reads: [" + anyField(r, s) + "]}}"
	})},
	{"a judge reads the state", replacing(judgeOf, func(r *rand.Rand, s, old string) string {
		return old + ", reads: [" + anyField(r, s) + "]"
	})},
	{"the graph has a model", replacing(stateKey, func(_ *rand.Rand, _, old string) string { return "model: large\ntemperature: 0.5\n" + old })},
	{"an end has a name", func(_ *rand.Rand, s string) (string, bool) {
		named := strings.Replace(s, "next: end", "next: over", 1)
		if named == s {
			named = strings.Replace(s, "to: end", "to: over", 1)
		}
		changed := stateKey.ReplaceAllString(named, "ends: [over]\n$0")
		return changed, named != s && changed != named
	}},
	{"a field is private", replacing(stateField, func(_ *rand.Rand, _, old string) string {
		name, of, _ := strings.Cut(old, ": ")
		if body, ok := strings.CutPrefix(of, "{"); ok {
			return name + ": {private: true, " + body
		}
		return name + ": {private: true, type: " + of + "}"
	})},
	{"a field holds media", replacing(typeName, func(r *rand.Rand, _, _ string) string {
		return []string{"image", `"?image"`, `"[]pdf"`, "audio", "messages", "message"}[r.IntN(6)]
	})},
}

var (
	promptText = regexp.MustCompile(`\b(instructions|message|perspective): ("[^"\n]*"|'[^'\n]*'|\w[\w .]*)`)
	historyOf  = regexp.MustCompile(`\bhistory: \w+`)
	toolOf     = regexp.MustCompile(`(?m)^(tools: \{|  )\w+: \{(?:doc|args|returns|pure)\b`)
	guardOf    = regexp.MustCompile(`\bguards: \[\w+`)
	judgeOf    = regexp.MustCompile(`\b(when|judge): [\w ]+`)
	stateField = regexp.MustCompile(`(?m)^  \w+: (string|int|messages|"[^"\n]*"|\{type: [^\n]*\})$`)
	stateKey   = regexp.MustCompile(`(?m)^state:\n`)
)

// withState adds a field of a name to the state, unless there is one, and to some of the lists of fields.
func withState(r *rand.Rand, s, name, of string, lists ...string) (string, bool) {
	if strings.Contains(s, "\n  "+name+": ") {
		return s, true
	}
	if !stateKey.MatchString(s) {
		return s, false
	}
	s = stateKey.ReplaceAllString(s, "state:\n  "+name+": "+of+"\n")
	for _, key := range lists {
		if r.IntN(3) > 0 {
			s = strings.Replace(s, "\n"+key+": [", "\n"+key+": ["+name+", ", 1)
		}
	}
	return s, true
}

// converses has a prompt continue a conversation, which the caller gives and gets in some graphs.
func converses(r *rand.Rand, s string) (string, bool) {
	of := []string{"messages", "{type: messages, merge: append}", "{type: messages, max_length: 2}"}[r.IntN(3)]
	s, ok := withState(r, s, "talk", of, "input", "output")
	if !ok || historyOf.MatchString(s) && r.IntN(2) == 0 {
		return s, false
	}
	return among(prompt, func(_ *rand.Rand, _, old string) string { return withKey(old, "history: talk") })(r, s)
}

// confides has a tool, or a guard, read a field that no model is shown.
func confides(r *rand.Rand, s string) (string, bool) {
	s, ok := withState(r, s, "tenant", "{type: string, private: true, default: none}", "input")
	if !ok {
		return s, false
	}
	if r.IntN(2) == 0 {
		return replacing(guardOf, func(_ *rand.Rand, _, old string) string {
			return "guards: [{" + strings.TrimPrefix(old, "guards: [") + ": {reads: [tenant]}}"
		})(r, s)
	}
	return replacing(toolOf, func(_ *rand.Rand, _, old string) string { return toolReads(old, "tenant") })(r, s)
}

// toolReads adds reads to the beginning of a tool.
func toolReads(tool, field string) string {
	at := strings.LastIndex(tool, "{") + 1
	return tool[:at] + "reads: [" + field + "], " + tool[at:]
}

// anyField names a field of the state, or of a type.
func anyField(r *rand.Rand, s string) string {
	fields := typedField.FindAllStringSubmatch(s, -1)
	if len(fields) == 0 {
		return "nothing"
	}
	return fields[r.IntN(len(fields))][1]
}
