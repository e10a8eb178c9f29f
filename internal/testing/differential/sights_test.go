package differential

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
)

// sights counts in how many runs each thing happened that the test is there to see.
type sights map[string]int

// toSee is what must happen in some run of a thousand graphs; else the test has become
// blind to it. Each is looked for in what the model says of the run.
var toSee = map[string]*regexp.Regexp{
	"ends completed":           regexp.MustCompile(`(?m)^reason completed`),
	"ends at a named end":      regexp.MustCompile(`(?m)^ending \S`),
	"ends exhausted":           regexp.MustCompile(`(?m)^reason exhausted`),
	"ends no_route":            regexp.MustCompile(`(?m)^reason no_route`),
	"ends max_steps":           regexp.MustCompile(`(?m)^reason max_steps`),
	"ends failed":              regexp.MustCompile(`(?m)^reason failed`),
	"steps error":              regexp.MustCompile(`(?m)^error .*steps\(`),
	"truncated output":         regexp.MustCompile(`flag=true`),
	"more than 64 steps":       regexp.MustCompile(`(?m)^path (\S+ ){64}`),
	"rule route":               regexp.MustCompile(`(?m)^way .* route ×`),
	"rule goto":                regexp.MustCompile(`(?m)^way .* goto ×`),
	"rule edge":                regexp.MustCompile(`(?m)^way .* edge ×`),
	"rule transition":          regexp.MustCompile(`(?m)^way .* transition ×`),
	"rule next":                regexp.MustCompile(`(?m)^way .* next ×`),
	"rule error":               regexp.MustCompile(`(?m)^way n.* error ×`),
	"on_error":                 regexp.MustCompile(`(?m)^way >n.* error ×`),
	"rule guard fail":          regexp.MustCompile(`(?m)^way .* guard fail ×`),
	"a retry":                  regexp.MustCompile(`retries [1-9]`),
	"a cache hit":              regexp.MustCompile(`cache hits [1-9]`),
	"a skip":                   regexp.MustCompile(`skips [1-9]`),
	"a rejected route":         regexp.MustCompile(`rejected [1-9]`),
	"a handler's error":        regexp.MustCompile(`(?m)^failure node.* error\(`),
	"a transient error":        regexp.MustCompile(`(?m)^failure node.* transient\(`),
	"a panic":                  regexp.MustCompile(`(?m)^failure node.* panic\(`),
	"a condition's panic":      regexp.MustCompile(`(?m)^failure node.* panic soft`),
	"a timeout":                regexp.MustCompile(`(?m)^failure node.* timeout\(`),
	"failed guards":            regexp.MustCompile(`(?m)^failure node.* guards\[`),
	"an invalid goto":          regexp.MustCompile(`(?m)^failure node.* choice\(goto`),
	"an invalid label":         regexp.MustCompile(`(?m)^failure node.* choice\(branch label`),
	"an invalid class":         regexp.MustCompile(`(?m)^failure node.* choice\(class`),
	"an invalid route":         regexp.MustCompile(`(?m)^failure node.* choice\(route`),
	"an unmatched node":        regexp.MustCompile(`(?m)^failure node.* nomatch\(`),
	"used up visits":           regexp.MustCompile(`(?m)^failure node.* visits\(`),
	"a soft failure":           regexp.MustCompile(`(?m)^failure .* soft=true`),
	"a cleared failure":        regexp.MustCompile(`(?m)^failure .* cleared=true`),
	"a failure that stays":     regexp.MustCompile(`(?m)^reason failed(?s:.*)^last step succeeded`),
	"feedback after a refusal": regexp.MustCompile(`(?m)^call .* feedback`),

	"rule tool loop":                regexp.MustCompile(`(?m)^way .* tool loop ×`),
	"a tool's failure":              regexp.MustCompile(`failed [1-9]`),
	"a call that is not repeated":   regexp.MustCompile(`repeated [1-9]`),
	"a tool's fatal failure":        regexp.MustCompile(`(?m)^failure node.* fatal\(`),
	"a malformed answer":            regexp.MustCompile(`(?m)^failure node.* malformed`),
	"a model that hears of tools":   regexp.MustCompile(`(?m)^call .* heard \[`),
	"a judge of several edges":      regexp.MustCompile(`(?m)^call n\d+\? .*\["1 [^"]+" "2 [^"]+"\]`),
	"a judge that may decline":      regexp.MustCompile(`(?m)^call n\d+\? .*"2 [^"]+" "none"\]`),
	"a judge of the last edge left": regexp.MustCompile(`(?m)^call n\d+\? .*\["1 [^"]+" "none"\]`),
	"a model that judges outputs":   regexp.MustCompile(`(?m)^call n\d+_g3 .*n\d+_g3 is like`),
	"an output that it refuses":     regexp.MustCompile(`(?m)^failure node.* guards\[\{n\d+_g3 `),
	"a judge of an absent value":    regexp.MustCompile(`(?m)^call n\d+\? .*:null`),

	"a conversation that is given back":   regexp.MustCompile(`(?m)^output .*[hk]=\[[^=]*assistant`),
	"a turn with calls that is kept":      regexp.MustCompile(`(?m)^output .*[hk]=\[[^=]*\(n\d+#\d+/\d\)`),
	"a conversation without a user":       regexp.MustCompile(`(?m)^call n\d+ .*talking, .*Follow the instructions\.`),
	"calls of another node, in words":     regexp.MustCompile(`(?m)^call n\d+ .*talking, .* user "(look|find|grep)\{`),
	"a failed call, in words":             regexp.MustCompile(`(?m)^call n\d+ .*talking, .* user "(look|find|grep)\{[^ ]*: failed"`),
	"results of calls that a node left":   regexp.MustCompile(`(?m)^call n\d+ .*talking, .* tool \w+\(n\d+#\d+/\d\)[^\]]*\]$`),
	"a message that no conversation has":  regexp.MustCompile(`(?m)^failure node.*message \d of the conversation is`),
	"an answer that is mended":            regexp.MustCompile(`(?m)^call n\d+ .*talking, .*user "does not fit"`),
	"an answer that guards refuse":        regexp.MustCompile(`(?m)^call n\d+ .*talking, .*The answer was not accepted`),
	"feedback in a user's turn":           regexp.MustCompile(`(?m)^call n\d+ .*An answer was not accepted`),
	"a message of the user":               regexp.MustCompile(`(?m)^call n\d+ .*turn user "(say|of|answer)`),
	"what is read, in a fence":            regexp.MustCompile("(?m)^call n\\d+ .*user \"\\w+:\\\\n```json"),
	"media that are shown":                regexp.MustCompile(`(?m)^call n\d+ .*turn user .*shows (image|audio|application)`),
	"media of a conversation":             regexp.MustCompile(`(?m)^call n\d+ .*talking, .*user "[a-c]+" shows image`),
	"a conversation that is read":         regexp.MustCompile(`(?m)^call n\d+ .*user "[hk]:\\n`),
	"a judge of media of a conversation":  regexp.MustCompile(`(?m)^call n\d+\? .*"media":\[\{"bytes":\d`),
	"a conversation that a handler makes": regexp.MustCompile(`(?m)^call n\d+\? .*"result":\{[^}]*"[hk]":\[\{`),
}

// budgetSights are what must happen in some run of TestSpentBudgets.
var budgetSights = map[string]*regexp.Regexp{
	"ends budget":                  regexp.MustCompile(`(?m)^reason budget`),
	"rule budget":                  regexp.MustCompile(`(?m)^way .* budget ×`),
	"a budget edge to end":         regexp.MustCompile(`(?m)^way n\d+>end budget ×`),
	"a cleared spent budget":       regexp.MustCompile(`(?m)^failure .*budget\(.* cleared=true`),
	"a soft spent budget":          regexp.MustCompile(`(?m)^failure .*budget\(.* soft=true`),
	"a spent budget in a graph ok": regexp.MustCompile(`(?m)^reason completed(?s:.*)^failure .*budget\(`),
}

// note looks in a run for what no run has shown, and for everything where the counts are printed.
func (s sights) note(r scriptdriver.Result) {
	var b strings.Builder
	fmt.Fprintf(&b, "reason %s\nending %s\nerror %s\npath %s \noutput %s\ncounts %s\n",
		r.Reason, r.Ending, r.Err, strings.Join(r.Path, " "), r.Output, r.Counts)
	for title, list := range map[string][]string{"way": r.Transitions, "failure": r.Failures, "call": r.Calls} {
		for _, x := range list {
			fmt.Fprintf(&b, "%s %s\n", title, x)
		}
	}
	if r.Reason == "failed" && !strings.Contains(r.Err, fmt.Sprintf("step %d ", r.Steps)) {
		b.WriteString("last step succeeded\n")
	}
	text := b.String()
	look := maps.Clone(toSee)
	maps.Copy(look, budgetSights)
	for name, is := range look {
		if (s[name] == 0 || testing.Verbose()) && is.MatchString(text) {
			s[name]++
		}
	}
	s["steps"] += r.Steps
}

// complete reports what was never seen.
func (s sights) complete(t *testing.T) {
	t.Helper()
	for name := range toSee {
		if s[name] == 0 {
			t.Errorf("no run of any graph shows: %s", name)
		}
	}
}

// String lists what was seen and how often.
func (s sights) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s %d, ", name, s[name])
	}
	return strings.TrimSuffix(b.String(), ", ")
}
