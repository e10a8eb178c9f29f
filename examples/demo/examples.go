package main

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/examples/agenttriage"
	"github.com/graphgen/graphgen/examples/assistant"
	"github.com/graphgen/graphgen/examples/chat"
	"github.com/graphgen/graphgen/examples/fallback"
	"github.com/graphgen/graphgen/examples/fixloop"
	"github.com/graphgen/graphgen/examples/inquiry"
	"github.com/graphgen/graphgen/examples/librarian"
	"github.com/graphgen/graphgen/examples/newsroom"
	"github.com/graphgen/graphgen/examples/refunds"
	"github.com/graphgen/graphgen/examples/research"
	"github.com/graphgen/graphgen/examples/tenants"
	"github.com/graphgen/graphgen/examples/toolrouter"
	"github.com/graphgen/graphgen/examples/triage"
)

var examples = []example{
	{"research", "plan, act, think, reflect: which packages of this repository have no test?",
		graphgen.Completed, "synthesize", answer},
	{"fixloop", "implement and test: go vet on a file with three mistakes",
		graphgen.Completed, "done", repair(fixloop.ThreeMistakes)},
	{"fixloop", "a fourth mistake is one more than the loop has turns",
		graphgen.NoRouteMatched, "test", repair(fixloop.FourMistakes)},
	{"fixloop", "a mistake without a known repair fails the run; its state stays readable",
		graphgen.Failed, "implement", repair(fixloop.UnknownMistake)},
	{"triage", "gather, investigate, create an issue: a module whose tests fail",
		graphgen.Completed, "notify", triageFixture},
	{"triage", "the same on sources and tests of this repository",
		graphgen.Completed, "notify", triageRepository},
	{"agenttriage", "models do the triage, on a recording: investigate with tools, write an issue, review it, file it",
		graphgen.Completed, "notify", triageByModels},
	{"assistant", "classify, use tools, respond: questions about the kernel of this repository",
		graphgen.Completed, "classify", converse},
	{"toolrouter", "a tool at every turn; what was asked before comes from the cache",
		graphgen.Completed, "summarize", ask("list runtime/codec; count runtime; grep panic in runtime; count runtime")},
	{"toolrouter", "a question that is longer than the run may be is answered in part",
		graphgen.MaxSteps, "count_lines", ask(strings.Repeat("count runtime; ", 11) + "count spec")},
	{"newsroom", "a graph written in Go: an article grows until the critic is content",
		graphgen.Completed, "publish", report("otters")},
	{"newsroom", "what is fatal is never published",
		graphgen.Completed, "spike", report("badgers")},
	{"fallback", "the source is locked at first, and the mirror's folder is missing",
		graphgen.Completed, "publish", lockedSource},
	{"fallback", "the source is cut off: the mirror serves",
		graphgen.Completed, "publish", publish(map[string]string{"source": "otters ha", "mirror": whole})},
	{"fallback", "neither source nor mirror: an apology",
		graphgen.Completed, "apologize", publish(nil)},
	{"fallback", "what cannot be published ends the run, and is not lost",
		graphgen.Failed, "publish", publish(map[string]string{"source": whole, "target/taken": ""})},
	{"librarian", "a model with tools answers a question about a folder of texts; a recording plays it",
		graphgen.Completed, "answer", replay},
	{"chat", "a chat server: three turns of a conversation over HTTP; a recording plays it",
		graphgen.Completed, "answer", talk},
	{"inquiry", "a question is looked into from four sides concurrently, and a review has something added; a recording plays it",
		graphgen.Completed, "synthesise", inquire},
	{"tenants", "tools are bound to the company of a customer, which the model neither sees nor chooses; a recording plays it",
		graphgen.Completed, "answer", bound},
	{"refunds", "a support agent asks a person before a refund, and not before a look-up; the person pays half",
		graphgen.Completed, "answer", refund},
	{"refunds", "a map whose branches ask: each reply is released by a person, and one is held back",
		graphgen.Completed, "send", release},
	{"refunds", "the branches of a map ask through a graph that they run",
		graphgen.Completed, "help", office},
}

func answer(s *stage) (string, error) {
	m, err := research.NewResearch(research.Agent{})
	if err != nil {
		return "", err
	}
	plans := graphgen.WithObserver(func(e graphgen.Event) {
		if plan, ok := graphgen.Payload[research.ResearchTellPayload](e); ok {
			s.seen = append(s.seen, fmt.Sprintf("step %d: %s sends its plan: %v", e.Step, e.Node, plan.Agenda))
		}
	})
	out, err := m.Run(s.ctx, research.ResearchInput{Root: s.repo}, plans, graphgen.WithReport(&s.report))
	return out.Answer, err
}

func repair(draft string) func(*stage) (string, error) {
	return func(s *stage) (string, error) {
		m, err := fixloop.NewFixloop(fixloop.Workshop{})
		if err != nil {
			return "", err
		}
		out, err := m.Run(s.ctx, fixloop.FixloopInput{Dir: s.temp, Draft: draft}, graphgen.WithReport(&s.report))
		if state, ok := graphgen.StateOf[fixloop.FixloopState](err); ok {
			return fmt.Sprintf("until it failed: %s", strings.Join(state.Changes, ", ")), err
		}
		result := strings.Join(out.Changes, ", ")
		if !out.Passed && out.Complaint != nil {
			result += "\nleft: " + strings.TrimSpace(*out.Complaint)
		}
		return result, err
	}
}

func triageFixture(s *stage) (string, error) {
	if err := triage.Fixture(s.temp); err != nil {
		return "", err
	}
	return runTriage(s, triage.TriageInput{Root: s.temp, Packages: []string{"."}, Known: []string{"otters.TestKnown"}, Outbox: s.temp})
}

func triageRepository(s *stage) (string, error) {
	return runTriage(s, triage.TriageInput{Root: s.repo, Packages: []string{"./spec/diag", "./spec/resolve"}, Outbox: s.temp})
}

func runTriage(s *stage, in triage.TriageInput) (string, error) {
	m, err := triage.NewTriage(triage.Desk{})
	if err != nil {
		return "", err
	}
	out, err := m.Run(s.ctx, in, graphgen.WithReport(&s.report))
	result := strings.Join(out.Notices, "; ")
	if err == nil && out.Issue != nil {
		var issue []byte
		issue, err = os.ReadFile(*out.Issue)
		result += "\n" + strings.TrimSpace(string(issue))
	}
	return result, err
}

// triageByModels replays recorded answers of models and tools; the issue is filed again.
func triageByModels(s *stage) (string, error) {
	if err := agenttriage.Fixture(s.temp); err != nil {
		return "", err
	}
	out, err := agenttriage.Replay(s.ctx, s.temp, graphgen.WithReport(&s.report))
	if err != nil || out.Filed == nil {
		return out.Notice, err
	}
	issue, err := os.ReadFile(filepath.Join(s.temp, *out.Filed))
	return out.Notice + "\n" + strings.TrimSpace(string(issue)), err
}

// converse reads the events of its run as they happen.
func converse(s *stage) (string, error) {
	m, err := assistant.NewAssistant(assistant.Helper{})
	if err != nil {
		return "", err
	}
	in := assistant.AssistantInput{Root: filepath.Join(s.repo, "runtime"), Inbox: []string{
		"hello",
		"where is `Stopper` declared?",
		"where is `StateOv`?",
		"`Transient` is wrong",
		"where is `StateOv`?",
		"bye",
	}}
	run := m.Stream(s.ctx, in, graphgen.WithReport(&s.report))
	for e := range run.Events() {
		switch {
		case e.Kind == graphgen.Routed && e.Route().Rule == graphgen.RuleGoto:
			s.seen = append(s.seen, fmt.Sprintf("step %d: %s → %s, by %s", e.Step, e.Node, e.Route().To, e.Route().Reason))
		case e.Kind == graphgen.CacheHit:
			s.seen = append(s.seen, fmt.Sprintf("step %d: %s from the cache", e.Step, e.Node))
		}
	}
	out, err := run.Output()
	return fmt.Sprintf("%s\n%d tickets", strings.Join(out.Replies, "\n"), out.Tickets), err
}

func ask(question string) func(*stage) (string, error) {
	return func(s *stage) (string, error) {
		m, err := toolrouter.NewToolrouter(toolrouter.Tools{})
		if err != nil {
			return "", err
		}
		out, err := m.Run(s.ctx, toolrouter.ToolrouterInput{Root: s.repo, Question: question}, graphgen.WithReport(&s.report))
		if out.MaxStepsReached {
			return fmt.Sprintf("%d answers, then it was cut short", len(out.Answers)), err
		}
		return strings.Join(out.Answers, "\n"), err
	}
}

func report(topic string) func(*stage) (string, error) {
	return func(s *stage) (string, error) {
		staff := newsroom.Staff{Facts: map[string][]string{"otters": {"They dive", "They hold hands", "They use tools"}}}
		m, err := newsroom.NewNewsroom(staff)
		if err != nil {
			return "", err
		}
		out, err := m.Run(s.ctx, newsroom.NewsroomInput{Topic: topic}, graphgen.WithReport(&s.report))
		return fmt.Sprintf("%s (praise: %d)", out.Article, out.Praise), err
	}
}

const whole = "otters have moved in\n" + fallback.End + "\n"

// lockedSource has an observer that simulates the other process, which is done with the
// source after the second attempt.
func lockedSource(s *stage) (string, error) {
	source := filepath.Join(s.temp, "source")
	if err := os.WriteFile(fallback.Lock(source), nil, 0o644); err != nil {
		return "", err
	}
	other := graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind != graphgen.Retry {
			return
		}
		attempt, _ := e.Retry()
		s.seen = append(s.seen, fmt.Sprintf("attempt %d of %s: %v", attempt, e.Node, e.Err))
		if attempt == 2 {
			os.Remove(fallback.Lock(source))
		}
	})
	return runFallback(s, filepath.Join(s.temp, "missing", "mirror"), map[string]string{"source": whole}, other)
}

func publish(files map[string]string) func(*stage) (string, error) {
	return func(s *stage) (string, error) { return runFallback(s, filepath.Join(s.temp, "mirror"), files) }
}

func runFallback(s *stage, mirror string, files map[string]string, opts ...graphgen.Option) (string, error) {
	for name, text := range files {
		path := filepath.Join(s.temp, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			return "", err
		}
	}
	m, err := fallback.NewFallback(fallback.Reader{}, opts...)
	if err != nil {
		return "", err
	}
	in := fallback.FallbackInput{Source: filepath.Join(s.temp, "source"), Mirror: mirror, Target: filepath.Join(s.temp, "target")}
	out, err := m.Run(s.ctx, in, graphgen.WithReport(&s.report))
	if state, ok := graphgen.StateOf[fallback.FallbackState](err); ok {
		return fmt.Sprintf("not published, but kept: %q", state.Text), err
	}
	if out.Words == nil || out.Origin == nil {
		return strings.Join(out.Log, "; "), err
	}
	return fmt.Sprintf("%d words from the %v", *out.Words, *out.Origin), err
}

// calls notes the calls of tools.
func (s *stage) calls() graphgen.Option {
	return graphgen.WithObserver(func(e graphgen.Event) {
		switch e.Kind {
		case graphgen.ToolStart:
			s.seen = append(s.seen, fmt.Sprintf("%s %s", e.Tool().Name, e.Tool().Arguments))
		case graphgen.ToolEnd:
			if e.Err != nil {
				s.seen = append(s.seen, fmt.Sprintf("%s failed: %v", e.Tool().Name, e.Err))
			}
		}
	})
}

// bound replays a conversation in which the model asks for the order of another company.
func bound(s *stage) (string, error) {
	answer, err := tenants.Replay(s.ctx, s.calls(), graphgen.WithReport(&s.report))
	return fmt.Sprintf("%s\norders: %s", answer.Text, strings.Join(answer.Sources, ", ")), err
}

// people is a person who answers as they are played, and what they were asked.
func people(s *stage, answer func(q graphgen.Request) string) refunds.Person {
	return func(q graphgen.Request) string {
		said := answer(q)
		s.seen = append(s.seen, q.ID+": "+q.Question+" "+said)
		return said
	}
}

// refund has an agent look an order up, and pay half of what it asks for.
func refund(s *stage) (string, error) {
	shop := &refunds.Shop{Paid: map[string]int{"A1": 2500}}
	m, err := refunds.NewShopSupport(shop)
	if err != nil {
		return "", err
	}
	report := graphgen.WithReport(&s.report)
	out, err := m.Run(s.ctx, refunds.SupportInput{Message: "#A1 is broken, I want my money."}, report)
	out, err = refunds.Ask(s.ctx, out, err, people(s, func(graphgen.Request) string {
		return `{"decision": "approve", "arguments": {"order": "A1", "cents": 1250}}`
	}), m.Resume, report)
	return fmt.Sprintf("%s\npaid back: %v", out.Reply, shop.Refunded), err
}

// release has a person release the replies of an inbox, except one.
func release(s *stage) (string, error) {
	m, err := refunds.NewShopInbox(new(refunds.Shop))
	if err != nil {
		return "", err
	}
	report := graphgen.WithReport(&s.report)
	out, err := m.Run(s.ctx, refunds.InboxInput{Messages: []string{"Hello, #A1", "Hello, #B2", "Hello, #C3"}}, report)
	out, err = refunds.Ask(s.ctx, out, err, people(s, func(q graphgen.Request) string {
		if strings.Contains(q.Question, "#B2") {
			return `"deny"`
		}
		return `"approve"`
	}), m.Resume, report)
	return strings.Join(out.Sent, "\n"), err
}

// office has the support agent answer several messages concurrently.
func office(s *stage) (string, error) {
	shop := &refunds.Shop{Paid: map[string]int{"A1": 2500, "B2": 9000}}
	m, err := refunds.NewShopOffice(shop)
	if err != nil {
		return "", err
	}
	report := graphgen.WithReport(&s.report)
	out, err := m.Run(s.ctx, refunds.OfficeInput{Messages: []string{"#A1: my money!", "Where is #B2?", "#B2: money, now!"}}, report)
	out, err = refunds.Ask(s.ctx, out, err, people(s, func(q graphgen.Request) string {
		if strings.Contains(q.Arguments, "A1") {
			return `"approve"`
		}
		return `{"decision": "deny", "reason": "it was used"}`
	}), m.Resume, report)
	return strings.Join(out.Replies, "\n"), err
}

// replay plays recorded answers of a model and tools; the machine is the real one.
func replay(s *stage) (string, error) {
	answer, err := librarian.Replay(s.ctx, s.calls(), graphgen.WithReport(&s.report))
	return fmt.Sprintf("%s\nsources: %s", answer.Text, strings.Join(answer.Sources, ", ")), err
}

// talk is a client of a chat server. The report is of the last turn.
func talk(s *stage) (string, error) {
	m, done, err := chat.Replay()
	if err != nil {
		return "", err
	}
	server := httptest.NewServer(chat.Serve(m, graphgen.WithReport(&s.report)))
	defer server.Close()
	var out chat.ChatOutput
	for _, message := range chat.Messages {
		s.seen = append(s.seen, "> "+message)
		piece := func(text string) { s.seen = append(s.seen, text) }
		if out, err = chat.Say(s.ctx, server.URL, out.History, message, piece); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d messages", len(out.History)), done()
}

// inquire replays branches that ran concurrently. It prints the refusals in them and what the run added to
// its graph.
func inquire(s *stage) (string, error) {
	answer, err := inquiry.Replay(s.ctx, graphgen.WithReport(&s.report))
	for _, r := range s.report.Refusals {
		for _, g := range r.Guards {
			s.seen = append(s.seen, fmt.Sprintf("%s of side %s, attempt %d, was refused: %s", r.Where.Node, r.Where.Branch, r.Attempt, g.Message))
		}
	}
	for _, m := range s.report.Mutations {
		s.seen = append(s.seen, fmt.Sprintf("%s changes the graph: %s", m.Node, m.Text))
	}
	return fmt.Sprintf("%s\nsources: %s", answer.Text, strings.Join(answer.Sources, ", ")), err
}
