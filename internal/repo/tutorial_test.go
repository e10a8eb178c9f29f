package repo_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
)

// TestTutorials does what the tutorials ask of a reader, and the guides that begin with an empty
// folder: it writes the files, changes lines, runs the commands, and compares what they print. The
// module that a page makes replaces graphgen by this repository; nothing is downloaded.
func TestTutorials(t *testing.T) {
	if testing.Short() {
		t.Skip("every page builds a program")
	}
	tutorials, err := filepath.Glob("docs/tutorials/*.md")
	if err != nil || len(tutorials) < 2 {
		t.Fatalf("%d tutorials, %v", len(tutorials), err)
	}
	guides, err := filepath.Glob("docs/guides/*.md")
	if err != nil {
		t.Fatal(err)
	}
	guides = slices.DeleteFunc(guides, func(page string) bool { return !strings.Contains(read(t, page), "\n$ go mod init ") })
	pages := append(tutorials, guides...)
	for _, dir := range []string{"cmd", "gen", "graph", "scenario", "spec"} {
		tempmodule.Watch(t, dir)
	}
	tempmodule.WatchRuntime(t, ".")
	for _, page := range pages {
		t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
			l := lesson{t: t, dir: t.TempDir()}
			steps, err := stepsOf(read(t, page))
			if err != nil {
				t.Fatal(err)
			}
			commands := 0
			for _, s := range steps {
				switch s.language {
				case "console":
					commands += l.run(s.text)
				case "diff":
					l.change(s.file, s.text)
				default:
					l.write(s.file, s.text)
				}
			}
			if commands == 0 {
				t.Error("the page has no commands")
			}
		})
	}
}

// A step is a block of a tutorial. Its file is the last name of one in the text before it.
type step struct{ language, file, text string }

// named matches the name of a file in a sentence.
var named = regexp.MustCompile("`([a-z_.]+\\.(?:go|yaml))`")

// stepsOf returns the blocks of a page that a reader follows. A block of Go, YAML or differences
// needs a file, unless the text before it ends with a full stop: then the page only shows it.
func stepsOf(page string) (steps []step, err error) {
	parts := strings.Split(page, "```")
	for i := 1; i < len(parts); i += 2 {
		language, text, _ := strings.Cut(parts[i], "\n")
		s := step{language: language, text: text}
		before := strings.TrimSpace(parts[i-1])
		before = before[strings.LastIndex(before, "\n\n")+1:]
		switch {
		case language == "console":
		case !strings.HasSuffix(before, ":"):
			continue
		default:
			names := named.FindAllStringSubmatch(before, -1)
			if names == nil {
				return nil, errors.New("no file is named before the block\n" + text)
			}
			s.file = names[len(names)-1][1]
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// A lesson is the folder of a reader.
type lesson struct {
	t   *testing.T
	dir string
}

func (l *lesson) write(file, text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, file), []byte(text), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

// change replaces the line of a file that differences remove by those that they add. Where they remove
// none, the lines are appended.
func (l *lesson) change(file, differences string) {
	l.t.Helper()
	var from, to string
	for line := range strings.Lines(differences) {
		switch line[0] {
		case '-':
			from += line[1:]
		case '+':
			to += line[1:]
		default:
			l.t.Fatalf("%q neither removes a line nor adds one", line)
		}
	}
	text := read(l.t, filepath.Join(l.dir, file))
	switch {
	case from == "":
		text += to
	case strings.Count("\n"+text, "\n"+from) != 1:
		l.t.Fatalf("%s has not exactly one of\n%s", file, from)
	default:
		text = strings.Replace(text, from, to, 1)
	}
	l.write(file, text)
}

// run runs the commands of a block, which begin with a dollar, and returns their number. What is shown
// behind a command is what it has to print. A command that shows nothing has to succeed.
func (l *lesson) run(block string) (commands int) {
	l.t.Helper()
	for part := range strings.SplitSeq("\n"+block, "\n$ ") {
		command, want, _ := strings.Cut(part, "\n")
		if command == "" {
			continue
		}
		commands++
		got, err := l.command(strings.Fields(command))
		if fails := strings.Contains(want, "error[") || strings.Contains(want, "--- FAIL"); fails != (err != nil) {
			l.t.Fatalf("%s: %v\n%s", command, err, got)
		}
		if want != "" && !prints(shownLines(got), shownLines(want)) {
			l.t.Errorf("%s prints\n%s\nand the page shows\n%s", command, got, want)
		}
	}
	return commands
}

// command runs a command offline. A new module replaces graphgen by this repository.
func (l *lesson) command(args []string) (string, error) {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), args[0], args[1:]...)
	cmd.Dir = l.dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOSUMDB=off")
	out, err := cmd.CombinedOutput()
	if err == nil && strings.HasPrefix(strings.Join(args, " "), "go mod init ") {
		root, err := filepath.Abs(".")
		if err != nil {
			l.t.Fatal(err)
		}
		if out, err := l.command([]string{"go", "mod", "edit", "-replace=github.com/graphgen/graphgen=" + root}); err != nil {
			l.t.Fatalf("%v\n%s", err, out)
		}
	}
	return string(out), err
}

// elapsed matches a time that a command took.
var elapsed = regexp.MustCompile(`\b\d+\.\d{3}s\b`)

// shownLines returns the lines of an output, with every elapsed time as 0.000s.
func shownLines(text string) []string {
	return strings.Split(strings.TrimSpace(elapsed.ReplaceAllString(text, "0.000s")), "\n")
}

// prints reports whether got is want, in which a line of three dots is any number of lines.
func prints(got, want []string) bool {
	i := slices.Index(want, "…")
	if i < 0 {
		return slices.Equal(got, want)
	}
	if len(got) < i || !slices.Equal(got[:i], want[:i]) {
		return false
	}
	for skip := i; skip <= len(got); skip++ {
		if prints(got[skip:], want[i+1:]) {
			return true
		}
	}
	return len(want) == i+1
}

// TestTutorialOutput holds what a test of the tutorials takes for the output that a page shows.
func TestTutorialOutput(t *testing.T) {
	for _, row := range []struct {
		name, got, want string
		same            bool
	}{
		{"the same", "a\nb", "a\nb", true},
		{"a line more", "a\nb\nc", "a\nb", false},
		{"a line less", "a", "a\nb", false},
		{"left out at the end", "a\nb\nc", "a\n…", true},
		{"left out between", "a\nb\nc\nd", "a\n…\nd", true},
		{"left out, and another end", "a\nb\nc", "a\n…\nd", false},
		{"a time", "ok 1.234s", "ok 0.001s", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if prints(shownLines(row.got), shownLines(row.want)) != row.same {
				t.Errorf("%q and %q", row.got, row.want)
			}
		})
	}
}
