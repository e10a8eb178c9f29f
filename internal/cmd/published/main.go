// Published counts what the checks find in published graphs, for docs/reference/defects.md:
//
//	go run ./internal/cmd/published -clones DIR
//
// It imports the files that sources.txt names from clones of their repositories, as graphgen import does, and counts the diagnostics. DIR has
// the clones as OWNER/NAME; for one that is missing it prints the command that makes it, and counts the others. With -update it writes the
// counts to counts.txt, and the page. The files stay in the clones.
package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/dialect"
	"github.com/graphgen/graphgen/spec/dialect/draft"
)

func main() {
	clones := flag.String("clones", "", "the folder with the clones of the repositories")
	update := flag.Bool("update", false, "write counts.txt and the page, if no clone is missing of a source that they count")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *clones, *update); err != nil {
		fmt.Fprintln(os.Stderr, "published:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, clones string, update bool) error {
	if clones == "" {
		return errors.New("name the folder with the clones: -clones DIR")
	}
	sources, err := readSources(sourcesText)
	if err != nil {
		return err
	}
	recorded, err := parse(countsText)
	if err != nil {
		return err
	}
	var counts []count
	for _, s := range sources {
		dir := filepath.Join(clones, filepath.FromSlash(s.repo))
		if _, err := os.Stat(dir); err != nil {
			fmt.Printf("%s: not there: git clone https://github.com/%s %s\n", s, s.repo, dir)
			if update && slices.ContainsFunc(recorded, func(c count) bool { return c.source == s }) {
				return fmt.Errorf("%s is counted, and its clone is missing", s)
			}
			continue
		}
		c, err := s.count(ctx, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		counts = append(counts, c)
	}
	text := format(counts)
	fmt.Print(text)
	if !update {
		return nil
	}
	if err := os.WriteFile("internal/cmd/published/counts.txt", []byte(text), 0o644); err != nil {
		return err
	}
	return os.WriteFile("docs/reference/defects.md", []byte(page(sources, counts)), 0o644)
}

//go:embed sources.txt
var sourcesText string

//go:embed counts.txt
var countsText string

// A source is a line of sources.txt.
type source struct {
	dialect, repo, commit string
	every                 bool   // every text that a file has had
	pattern               string // of paths, as path.Match has it
}

// String returns the line.
func (s source) String() string {
	versions := "last"
	if s.every {
		versions = "every"
	}
	return strings.Join([]string{s.dialect, s.repo, s.commit, versions, s.pattern}, " ")
}

func readSources(text string) (list []source, err error) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) != 5 || dialect.Find(words[0]) == nil || len(words[2]) != 40 || words[3] != "last" && words[3] != "every" {
			return nil, fmt.Errorf("sources.txt: %q is not: DIALECT OWNER/NAME COMMIT last|every PATTERN", strings.TrimSpace(line))
		}
		list = append(list, source{words[0], words[1], words[2], words[3] == "every", words[4]})
	}
	return list, nil
}

// A count is what was found in the files of a source.
type count struct {
	source   source
	files    int             // texts that were read
	accepted int             // of which a graph could be made
	found    map[kind]places // by kind of diagnostic
}

// A kind is a code with a severity.
type kind struct {
	code     string
	severity diag.Severity
}

// places count diagnostics of one kind.
type places struct{ places, files int }

// A text is a version of a file.
type text struct{ commit, path string }

// count imports the files of a source.
func (s source) count(ctx context.Context, clone string) (count, error) {
	c := count{source: s, found: map[kind]places{}}
	texts, err := s.texts(ctx, clone)
	if err != nil {
		return c, err
	}
	for _, t := range texts {
		content, err := git(ctx, clone, "show", t.commit+":"+t.path)
		if err != nil {
			return c, err
		}
		_, found := draft.Import(dialect.Find(s.dialect), &draft.File{Name: t.path, Text: content, Open: func(name string) (string, []byte, error) {
			named := path.Join(path.Dir(t.path), name)
			content, err := git(ctx, clone, "show", t.commit+":"+named)
			if err != nil {
				return named, nil, fs.ErrNotExist
			}
			return named, content, nil
		}})
		c.add(found)
	}
	return c, nil
}

// add adds what was found in a file.
func (c *count) add(found []diag.Diagnostic) {
	c.files++
	if !diag.HasErrors(found) {
		c.accepted++
	}
	in := map[kind]bool{}
	for _, d := range found {
		k := kind{d.Code, d.Severity}
		p := c.found[k]
		p.places++
		if !in[k] {
			p.files++
		}
		c.found[k], in[k] = p, true
	}
}

// texts returns the texts of a source: one of each file, or each that a file has had, with the first commit that has it.
func (s source) texts(ctx context.Context, clone string) (list []text, err error) {
	if !s.every {
		out, err := git(ctx, clone, "ls-tree", "-r", "-z", "--name-only", s.commit)
		for name := range strings.SplitSeq(string(out), "\x00") {
			if s.matches(name) {
				list = append(list, text{s.commit, name})
			}
		}
		return list, err
	}
	out, err := git(ctx, clone, "log", "--reverse", "--no-renames", "--format=%H", "--raw", "--no-abbrev", s.commit)
	seen := map[string]bool{}
	commit := ""
	for line := range strings.Lines(string(out)) {
		change, name, isChange := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		switch words := strings.Fields(change); {
		case !isChange && len(words) == 1:
			commit = words[0]
		case isChange && len(words) == 5 && words[4] != "D" && s.matches(name) && !seen[words[3]]:
			seen[words[3]] = true
			list = append(list, text{commit, name})
		}
	}
	return list, err
}

func (s source) matches(name string) bool {
	ok, _ := path.Match(s.pattern, name) // the pattern is ours
	return ok
}

func git(ctx context.Context, clone string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", clone}, args...)...)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(problem.String()))
	}
	return out, nil
}

// kinds returns the kinds of a count: errors, warnings, notes, each by code.
func (c *count) kinds() []kind { return sorted(c.found) }

func sorted(found map[kind]places) []kind {
	return slices.SortedFunc(maps.Keys(found), func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.severity, b.severity), strings.Compare(a.code, b.code))
	})
}

// format prints counts: a line for each source, and one for each kind, with places and files.
func format(counts []count) string {
	var b strings.Builder
	for _, c := range counts {
		fmt.Fprintf(&b, "%s: %d files, %d accepted\n", c.source, c.files, c.accepted)
		for _, k := range c.kinds() {
			fmt.Fprintf(&b, "\t%s %s %d %d\n", k.severity, k.code, c.found[k].places, c.found[k].files)
		}
	}
	return b.String()
}

// parse reads what format has printed.
func parse(text string) (counts []count, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "\t"); ok && len(counts) > 0 {
			words := strings.Fields(rest)
			if len(words) != 4 {
				return nil, fmt.Errorf("counts.txt: %q", line)
			}
			severity := slices.IndexFunc([]diag.Severity{diag.Error, diag.Warning, diag.Note}, func(s diag.Severity) bool { return s.String() == words[0] })
			n, err := strconv.Atoi(words[2])
			m, more := strconv.Atoi(words[3])
			if err := errors.Join(err, more); err != nil || severity < 0 {
				return nil, fmt.Errorf("counts.txt: %q: %w", line, err)
			}
			counts[len(counts)-1].found[kind{words[1], diag.Severity(severity)}] = places{n, m}
			continue
		}
		c := count{found: map[kind]places{}}
		from, numbers, _ := strings.Cut(line, ": ")
		sources, err := readSources(from)
		if _, more := fmt.Sscanf(numbers, "%d files, %d accepted", &c.files, &c.accepted); err != nil || more != nil || len(sources) != 1 {
			return nil, fmt.Errorf("counts.txt: %q: %w", line, errors.Join(err, more))
		}
		c.source = sources[0]
		counts = append(counts, c)
	}
	return counts, nil
}
