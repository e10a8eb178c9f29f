package repo_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shown are the pages whose blocks are pieces of files. In a page with handlers of its reader only the YAML is.
var shown = []struct {
	page  string
	files []string
}{
	{"docs/guides/ask-models.md", []string{"examples/desk/desk.graph.yaml", "examples/desk/desk.go", "examples/desk/desk.scenarios.yaml",
		"examples/live/provider.go", "golden/guards/judged_guards.graph.yaml"}},
	{"docs/guides/prompts-in-files.md", []string{"examples/helpline/helpline.graph.yaml", "examples/helpline/prompts/technical.md"}},
	{"docs/guides/call-tools.md", []string{"golden/mcp/mcp.graph.yaml", "golden/skillgroups/desk.graph.yaml",
		"golden/skillgroups/house.types.yaml", "examples/librarian/librarian.graph.yaml", "examples/librarian/librarian.go",
		"examples/librarian/session.go", "examples/tenants/tenants.graph.yaml", "examples/tenants/tenants.go"}},
	{"docs/guides/record-and-replay.md", []string{"examples/librarian/session.go", "examples/librarian/librarian_test.go"}},
	{"docs/guides/run-in-parallel.md", []string{
		"golden/composition/enquire.graph.yaml", "golden/composition/enquire.scenarios.yaml", "golden/composition/enquire_graph.go",
		"golden/composition/digest.graph.yaml", "golden/composition/digest.scenarios.yaml",
		"golden/branchif/gate.graph.yaml", "golden/regiongraphs/decide.graph.yaml",
	}},
	{"docs/guides/compose.md", []string{
		"golden/composition/refine.graph.yaml", "golden/composition/refine.scenarios.yaml", "golden/composition/refine_graph.go",
		"golden/composition/transfer.graph.yaml", "golden/composition/outing.graph.yaml",
		"golden/composition/library.graph.yaml", "golden/composition/library_graph.go", "golden/regionrouters/triage.graph.yaml",
	}},
	{"docs/guides/templates.md", []string{
		"golden/reasoning/inquiry.graph.yaml", "golden/patterns/helper.graph.yaml", "golden/templates/bricks.types.yaml", "golden/templates/essay.graph.yaml",
	}},
	{"docs/guides/branch.md", []string{
		"golden/review/review.graph.yaml", "testdata/specs/valid/guide_branch.graph.yaml", "examples/desk/desk.graph.yaml",
		"golden/budget/spare.graph.yaml", "golden/namedends/claim.graph.yaml",
	}},
	{"docs/guides/importing.md", []string{"spec/dialect/testdata/workflow/branching.yaml", "spec/dialect/testdata/workflow/branching.txt"}},
	{"docs/guides/test.md", []string{"golden/review/review.scenarios.yaml"}},
	{"docs/guides/bounds-and-assertions.md", []string{"testdata/specs/valid/guide_assertions.graph.yaml"}},
	{"docs/guides/ask-a-person.md", []string{
		"testdata/specs/valid/guide_approval.graph.yaml", "testdata/specs/valid/guide_record.graph.yaml",
		"testdata/specs/valid/guide_requires_human.graph.yaml",
	}},
	{"docs/guides/approve-tools.md", []string{
		"testdata/specs/valid/guide_call_approval.graph.yaml", "testdata/specs/valid/guide_client_tools.graph.yaml",
	}},
	{"docs/guides/versions.md", []string{
		"testdata/scripts/release.txtar", "gen/golang/testdata/versions/2.graph.yaml",
		"gen/golang/testdata/versions/review_versions.go", "gen/golang/versions_test.go",
	}},
	{"docs/guides/several-workers.md", []string{"contrib/river/claims/main.go"}},
	{"docs/guides/serve-clients.md", []string{"contrib/serve/wires_test.go", "contrib/serve/judges/guide.mjs"}},
	{"docs/guides/run-on-temporal.md", []string{
		"contrib/temporal/guide_test.go", "contrib/temporal/temporaltest/approval.graph.yaml", "contrib/temporal/temporaltest/errand.graph.yaml",
	}},
	{"docs/guides/change-the-graph.md", []string{"testdata/specs/valid/guide_mutations.graph.yaml"}},
	{"ARCHITECTURE.md", []string{"golden/review/review.graph.yaml", "golden/review/review_graph.go", "spec/cfg/testdata/golden_review_review.txt"}},
	{"docs/concepts/one-if.md", []string{
		"golden/review/review.graph.yaml", "golden/review/review_graph.go",
		"spec/keys.go", "spec/cfg/testdata/golden_review_review.txt",
	}},
}

// What a page shows is compiled and tested where it comes from. A line of three dots stands
// for what is left out.
func TestPagesShowFiles(t *testing.T) {
	for _, s := range shown {
		var files [][]string
		for _, name := range s.files {
			files = append(files, lines(read(t, name)))
		}
		blocks := codeOf(t, s.page, slices.ContainsFunc(s.files, func(name string) bool { return filepath.Ext(name) == ".go" }))
		if len(blocks) == 0 {
			t.Errorf("%s shows nothing", s.page)
		}
		for _, block := range blocks {
			for _, piece := range pieces(block) {
				if !slices.ContainsFunc(files, func(file []string) bool { return holds(file, piece) }) {
					t.Errorf("%s: none of the files holds\n%s", s.page, strings.Join(piece, "\n"))
				}
			}
		}
	}
}

// TestReadmeShowsTheMachine holds the piece of a machine in README.md. The other Go code of the page is its reader's.
func TestReadmeShowsTheMachine(t *testing.T) {
	machine, shown := lines(read(t, "golden/review/review_graph.go")), false
	for _, block := range codeOf(t, "README.md", true) {
		if !strings.Contains(block, "switch {") {
			continue
		}
		if shown = true; !holds(machine, lines(block)) {
			t.Errorf("golden/review/review_graph.go does not hold\n%s", block)
		}
	}
	if !shown {
		t.Error("README.md shows no switch")
	}
}

// printed are the pages with output that no test of the page makes, and the files that hold it.
var printed = []struct {
	page  string
	files []string
}{
	{"README.md", []string{"docs/tutorials/first-graph.md", "docs/concepts/what-others-accept.md"}},
	{"docs/guides/bounds-and-assertions.md", []string{"testdata/scripts/check_bounds.txtar"}},
	{"docs/guides/log-with-slog.md", []string{"contrib/slog/slog_test.go"}},
	{"docs/guides/templates.md", []string{"testdata/scripts/templates.txtar"}},
	{"docs/guides/trace-with-opentelemetry.md", []string{"contrib/otel/observe_test.go"}},
	{"docs/guides/versions.md", []string{"testdata/scripts/release.txtar"}},
	{"docs/reference/scenarios.md", []string{"scenario/testdata/fails.txt", "docs/tutorials/first-graph.md"}},
}

// output matches a block of output, which is indented: of a command, or what is logged or traced.
var output = regexp.MustCompile(`(?m)(?:^    (?:\$ .*\n    \S|\S+: error\[|\{"level"|invoke_).*\n)(?:(?:    .*)?\n)*`)

// TestPagesShowOutput holds what pages show of commands: a test holds the file that has it.
func TestPagesShowOutput(t *testing.T) {
	for _, p := range printed {
		var files [][]string
		for _, name := range p.files {
			files = append(files, shownOutput(read(t, name)))
		}
		blocks := output.FindAllString(read(t, p.page), -1)
		if len(blocks) == 0 {
			t.Errorf("%s shows no output", p.page)
		}
		for _, block := range blocks {
			if strings.Contains(block, " -store ") { // one of a store that no script has: TestCheckStore holds the form
				continue
			}
			for _, piece := range pieces(strings.Join(shownOutput(block), "\n")) {
				if len(piece) > 0 && !slices.ContainsFunc(files, func(file []string) bool { return holds(file, piece) }) {
					t.Errorf("%s: none of the files holds\n%s", p.page, strings.Join(piece, "\n"))
				}
			}
		}
	}
}

// folder matches the folder of a file that a test has in one.
var folder = regexp.MustCompile(`\bfailing/`)

// shownOutput returns the lines of a text without the commands in it, times and what differs by the place.
func shownOutput(text string) []string {
	text = folder.ReplaceAllString(strings.Join(shownLines(strings.ReplaceAll(text, "= `", "= `\n")), "\n"), "")
	return slices.DeleteFunc(lines(text), func(line string) bool { return strings.HasPrefix(line, "$ ") })
}

// stage matches a row of the table in docs/concepts/one-if.md: a file, and a function in it.
var stage = regexp.MustCompile("\\]\\(\\.\\./\\.\\./([^)]+\\.go)\\) \\| `(\\w+)`")

// TestOneIfNamesItsFunctions holds the table of that page.
func TestOneIfNamesItsFunctions(t *testing.T) {
	rows := stage.FindAllStringSubmatch(read(t, "docs/concepts/one-if.md"), -1)
	if len(rows) != 7 {
		t.Fatalf("the page has %d files, want 7", len(rows))
	}
	for _, row := range rows {
		if !regexp.MustCompile(`\b` + row[2] + `\b`).MatchString(read(t, row[1])) {
			t.Errorf("%s has no %s", row[1], row[2])
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// codeOf returns the blocks of a page, those of Go on demand.
func codeOf(t *testing.T, page string, withGo bool) (blocks []string) {
	t.Helper()
	for i, part := range strings.Split(read(t, page), "```") {
		if i%2 == 1 {
			language, code, _ := strings.Cut(part, "\n")
			if language != "go" || withGo {
				blocks = append(blocks, code)
			}
		}
	}
	return blocks
}

// lines returns the lines that are not empty, without what they are indented by.
func lines(text string) (list []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// pieces splits a block where something is left out.
func pieces(block string) (list [][]string) {
	list = [][]string{nil}
	for _, line := range lines(block) {
		if line == "…" {
			list = append(list, nil)
			continue
		}
		last := len(list) - 1
		list[last] = append(list[last], line)
	}
	return list
}

// holds reports whether the file has the lines of the piece, one after the other.
func holds(file, piece []string) bool {
	for at := range file {
		if len(piece) > 0 && len(file)-at >= len(piece) && slices.Equal(file[at:at+len(piece)], piece) {
			return true
		}
	}
	return false
}
