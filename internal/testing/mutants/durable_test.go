package mutants

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

// durables are the changes that have to do with what threads save of a run.
var durables = []mutation{
	{"a graph is durable", durable},
	{"a field is secret", inDurable(replacing(stateField, func(_ *rand.Rand, _, old string) string {
		name, of, _ := strings.Cut(old, ": ")
		if body, ok := strings.CutPrefix(of, "{"); ok {
			return name + ": {secret: true, " + body
		}
		return name + ": {secret: true, type: " + of + "}"
	}))},
	{"all fields are secret", inDurable(func(_ *rand.Rand, s string) (string, bool) {
		before, state, ok := strings.Cut(s, "\nstate:\n")
		if !ok {
			return s, false
		}
		end := len(state)
		if next := section.FindStringIndex(state); next != nil {
			end = next[0]
		}
		fields := typedAs.ReplaceAllString(typedBy.ReplaceAllString(state[:end], "${1}{secret: true, type:"), "${1}{secret: true, type: ${2}}")
		return before + "\nstate:\n" + fields + state[end:], fields != state[:end]
	})},
	{"a handler is in a transaction", inDurable(among(handled, func(r *rand.Rand, _, old string) string {
		more := []string{"", "", "flags: [{retryable: {attempts: 2, wait: 1ms, on: any}}], ", "guards: [sane], guard_retries: 1, ",
			"fail_soft: true, "}[r.IntN(5)]
		return old + "transaction: true, " + more
	}))},
}

var (
	handled = regexp.MustCompile(`(?m)^  \w+: \{`)
	typedBy = regexp.MustCompile(`(?m)^(  \w+: )\{type:`)
	typedAs = regexp.MustCompile(`(?m)^(  \w+: )(\w+|"[^"\n]*")$`)
)

// durable makes a graph durable.
func durable(_ *rand.Rand, s string) (string, bool) {
	if strings.Contains(s, "\ndurable: true\n") || !graphKey.MatchString(s) {
		return s, false
	}
	return graphKey.ReplaceAllString(s, "$0\ndurable: true"), true
}

// inDurable makes a change, and the graph durable.
func inDurable(change func(*rand.Rand, string) (string, bool)) func(*rand.Rand, string) (string, bool) {
	return func(r *rand.Rand, s string) (string, bool) {
		if changed, ok := durable(r, s); ok {
			s = changed
		}
		return change(r, s)
	}
}
