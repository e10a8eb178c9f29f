package mutants

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// A mutation changes a spec at one place. It reports false where there is no such place.
type mutation struct {
	name  string
	apply func(*rand.Rand, string) (string, bool)
}

var (
	pair     = regexp.MustCompile(`[\w-]+: (\[[^\[\]]*\]|"[^"]*"|[^,{}\[\]\n]+)(, )?`)
	word     = regexp.MustCompile(`\b[a-z_]{3,}\b`)
	bound    = regexp.MustCompile(`(max_(iterations|visits|steps|\w+_calls|tokens|parallel|result)|attempts|timeout|guard_retries|repair): \w+(, )?`)
	target   = regexp.MustCompile(`\b(to|from|next|node|exit|error|on_pass|on_fail|entry|body): (\w+)`)
	list     = regexp.MustCompile(`\b(goto|routes|reads|writes|sequential|input|output|flags|guards|(?:allow_|deny_)?tools|inherits|before|after): \[([\w, ]*)\]`)
	typeName = regexp.MustCompile(`\b(string|int|float|bool|time|duration|bytes)\b`)
	number   = regexp.MustCompile(`\b\d+\b`)
	operator = regexp.MustCompile(` (==|!=|<=|>=|<|>|&&|\|\||\+|-) `)
	nodeName = regexp.MustCompile(`(?m)^  (\w+): `)
)

// mutations are the changes that people make by mistake, and some that they do not.
var mutations = []mutation{
	{"a line is dropped", func(r *rand.Rand, s string) (string, bool) {
		lines := strings.Split(s, "\n")
		i := r.IntN(len(lines))
		return strings.Join(append(append([]string{}, lines[:i]...), lines[i+1:]...), "\n"), true
	}},
	{"a line is there twice", func(r *rand.Rand, s string) (string, bool) {
		lines := strings.SplitAfter(s, "\n")
		i := r.IntN(len(lines))
		return strings.Join(lines[:i+1], "") + lines[i] + strings.Join(lines[i+1:], ""), true
	}},
	{"two lines change places", func(r *rand.Rand, s string) (string, bool) {
		lines := strings.Split(s, "\n")
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return strings.Join(lines, "\n"), i != j
	}},
	{"a key is dropped", replacing(pair, func(*rand.Rand, string, string) string { return "" })},
	{"a bound is removed", replacing(bound, func(*rand.Rand, string, string) string { return "" })},
	{"a name is misspelt", replacing(word, func(r *rand.Rand, _, old string) string {
		i := 1 + r.IntN(len(old)-1)
		return old[:i] + old[i:i+1] + old[i:]
	})},
	{"a name is another", replacing(word, func(r *rand.Rand, s, old string) string {
		others := word.FindAllString(s, -1)
		return others[r.IntN(len(others))]
	})},
	{"an edge is moved", replacing(target, func(r *rand.Rand, s, old string) string {
		key, _, _ := strings.Cut(old, ": ")
		return key + ": " + anyNode(r, s)
	})},
	{"a list is longer", replacing(list, func(r *rand.Rand, s, old string) string {
		others := word.FindAllString(s, -1)
		item := others[r.IntN(len(others))]
		if strings.HasSuffix(old, "[]") {
			return strings.TrimSuffix(old, "]") + item + "]"
		}
		return strings.TrimSuffix(old, "]") + ", " + item + "]"
	})},
	{"a type is changed", replacing(typeName, func(r *rand.Rand, _, old string) string {
		return []string{"string", "int", "float", "bool", `"?` + old + `"`, `"[]` + old + `"`, `"map[string]` + old + `"`}[r.IntN(7)]
	})},
	{"a number is changed", replacing(number, func(r *rand.Rand, _, old string) string {
		n, _ := strconv.Atoi(old)
		return strconv.Itoa([]int{0, 1, 2, n + 1, n - 1, n * 10, -n}[r.IntN(7)])
	})},
	{"an operator is changed", replacing(operator, func(r *rand.Rand, _, _ string) string {
		return []string{" == ", " != ", " <= ", " >= ", " && ", " || ", " + ", " / "}[r.IntN(8)]
	})},
	{"a flag is added", replacing(nodeFlags, func(r *rand.Rand, _, old string) string {
		return old + []string{
			"flags: [skip_on_error], ", "flags: [critical], ", "flags: [cacheable], ", "flags: [readonly], ", "flags: [isolated_context], ",
			"flags: [retryable], ", "fail_soft: true, ", "max_visits: 2, ", "timeout: 1s, ", "no_match: end, ", "no_match: error, ",
			"guards: [sane], guard_retries: 1, ",
		}[r.IntN(12)]
	})},
	{"an edge is conditional", replacing(edgeEnd, func(r *rand.Rand, _, old string) string {
		return strings.TrimSuffix(old, "}") + []string{
			", max_iterations: 2}", ", priority: 5}", ", on: error}", ", on: guard_fail}", ", if: res.Visit > 1}",
			", if: res.Err == nil}", ", on_confidence: 0.5}",
			", when: it is so}", ", when: it is so, max_iterations: 2}", ", on: tool_call}", ", on: no_tool_call}", ", if: res.ToolCalls > 0}",
		}[r.IntN(12)]
	})},
	{"a prompt has another key", replacing(prompt, func(r *rand.Rand, _, old string) string {
		key := []string{
			"tool_loop: false", "tool_choice: required", "tool_choice: none", "max_parallel: 1", "repair: 0", "repair: 4", "max_visits: 2",
			"context: scoped", "context: ledger", "context: auto", "max_messages: 2", "max_history: 50", "max_tokens: 20", "revisit_feedback: true",
			"strategy: step_back", "flags: [inject_tools]", "flags: [no_history]", "flags: [lightweight]", "flags: [summarize_output]",
			"flags: [validate_output]",
			"flags: [verbose, observable]", "flags: [retryable]", "flags: [cacheable]", "before: [input_validator, state_summarizer]",
			"after: [json_extractor, confidence_scorer]", "after: [mend]", "guards: [sane], guard_retries: 2", "evals: {fine: {judge: It is fine.}}",
			"guards: [{kind: {judge: It is kind.}}], guard_retries: 1",
			"model: large", "timeout: 10s", "fail_soft: true", "output: string", "kind: func", "history: chat", "history: chat, max_messages: 1",
		}[r.IntN(36)]
		if before, after, two := strings.Cut(key, "], "); two {
			return withKey(withKey(old, after), before+"]")
		}
		return withKey(old, key)
	})},
	{"an edge is there twice, and a model judges one", replacing(edgeEnd, func(r *rand.Rand, s, old string) string {
		return old + "\n" + strings.TrimSuffix(target.ReplaceAllStringFunc(old, func(key string) string {
			if to, ok := strings.CutPrefix(key, "to: "); ok && r.IntN(2) == 0 && to != "" {
				return "to: " + anyNode(r, s)
			}
			return key
		}), "}") + ", when: something holds, max_iterations: 3}"
	})},
}

var (
	nodeFlags = regexp.MustCompile(`(?m)^  \w+: \{`)
	prompt    = regexp.MustCompile(`(?m)^ +kind: (prompt|router)\n|\bkind: (prompt|router),`)
	edgeEnd   = regexp.MustCompile(`(?m)^  - \{from: [^{}\n]*\}`)
)

// replacing changes one match of a pattern. make gets the whole spec and the match.
func replacing(pattern *regexp.Regexp, make func(r *rand.Rand, s, old string) string) func(*rand.Rand, string) (string, bool) {
	return func(r *rand.Rand, s string) (string, bool) {
		matches := pattern.FindAllStringIndex(s, -1)
		if len(matches) == 0 {
			return s, false
		}
		m := matches[r.IntN(len(matches))]
		changed := s[:m[0]] + make(r, s, s[m[0]:m[1]]) + s[m[1]:]
		return changed, changed != s
	}
}

// anyNode names a node of the spec, or what stands like one.
func anyNode(r *rand.Rand, s string) string {
	_, nodes, _ := cutNodes(s)
	names := nodeName.FindAllStringSubmatch(nodes, -1)
	if len(names) == 0 || r.IntN(8) == 0 {
		return "end"
	}
	return names[r.IntN(len(names))][1]
}
