package randomgraph

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

var (
	graphLine = regexp.MustCompile(`(?m)^graph: \w+\n`)
	fieldLine = regexp.MustCompile(`^(  \w+: )\{?(?:type: )?("[^"]*")([^}]*)\}?\n$`)
	nodeLine  = regexp.MustCompile(`^  \w+: \{(.*)\}\n$`)
	innerLine = regexp.MustCompile(`^(  [cdz]\d+: \{)kind: transform(?:, |(\}))`)
	retryFlag = regexp.MustCompile(`, flags: \[\{retryable: \{[^{}]*\}\}\]|, \{retryable: \{[^{}]*\}\}|\{retryable: \{[^{}]*\}\}, `)
	enumField = regexp.MustCompile(`\{enum: |'\??[A-Z]\d+N`) // of an output
)

// Durable makes the graph of a text durable. Some of its fields are secret, or all, or none, and some of its handlers are in
// transactions: not those whose output has an enum, as handlers leave some without a value, which no thread saves. A transform
// that another node or another graph runs is a func: it has no context by which its player knows a call that is repeated. A node
// that runs another graph is not retryable: the calls of its attempts have the same idempotency keys.
func Durable(r *rand.Rand, text string) string {
	secrets := []int{0, 0, 30, 100}[r.IntN(4)] // of 100 fields
	part := ""
	var b strings.Builder
	for line := range strings.Lines(graphLine.ReplaceAllString(text, "${0}durable: true\n")) {
		if line[0] != ' ' {
			part, _, _ = strings.Cut(line, ":")
		}
		switch {
		case part == "state" && r.IntN(100) < secrets:
			line = fieldLine.ReplaceAllString(line, "${1}{secret: true, type: ${2}${3}}\n")
		case part == "nodes":
			if line = innerLine.ReplaceAllString(line, "${1}${2}"); strings.Contains(line, "kind: subgraph") {
				line = retryFlag.ReplaceAllString(line, "")
			}
			if m := nodeLine.FindStringSubmatch(line); m != nil && transactable(m[1]) && r.IntN(100) < 40 {
				line = strings.Replace(line, m[1], m[1]+", transaction: true", 1)
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// transactable reports whether the handler of a node may be in a transaction.
func transactable(keys string) bool {
	return !strings.Contains(keys, "kind: ") && !strings.Contains(keys, "cacheable") && !enumField.MatchString(keys) &&
		(strings.Contains(keys, "reads: [") || strings.Contains(keys, "writes: ["))
}
