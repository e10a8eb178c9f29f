package repo_test

import (
	"bufio"
	"errors"
	"net"
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
			steps, err := stepsOf(read(t, page))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := exec.LookPath("curl"); err != nil && strings.Contains(read(t, page), "\n$ curl ") {
				t.Skip("there is no curl")
			}
			l := lesson{t: t, dir: t.TempDir(), ports: freePorts(t)}
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
	t     *testing.T
	dir   string
	ports map[string]string // by the ports of a page free ones
}

// freePorts returns ports that are free, by those of pages.
func freePorts(t *testing.T) map[string]string {
	t.Helper()
	ports := map[string]string{}
	for _, port := range []string{"localhost:8080", "127.0.0.1:8090"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, free, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		ports[port] = strings.TrimSuffix(port, port[len(port)-4:]) + free
	}
	return ports
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
		for port := range l.ports {
			command, want = strings.ReplaceAll(command, port, l.ports[port]), strings.ReplaceAll(want, port, l.ports[port])
		}
		if server, is := strings.CutSuffix(command, " &"); is {
			l.start(server, want)
			continue
		}
		got, err := l.command(words(command))
		if fails := strings.Contains(want, "error[") || strings.Contains(want, "--- FAIL"); fails != (err != nil) {
			l.t.Fatalf("%s: %v\n%s", command, err, got)
		}
		if want != "" && !prints(shownLines(got), shownLines(want)) {
			l.t.Errorf("%s prints\n%s\nand the page shows\n%s", command, got, want)
		}
	}
	return commands
}

// words splits a command into its words. Single quotes are around words with spaces.
func words(command string) (list []string) {
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

// start starts a server, which ends with the test, and waits for the lines that it prints.
func (l *lesson) start(command, want string) {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), "sh", "-c", "exec "+command)
	cmd.Dir = l.dir
	cmd.Env = l.environment()
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	ended := make(chan struct{})
	ready := make(chan string)
	go func() {
		defer close(ended)
		var got []string
		said := false
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if got = append(got, lines.Text()); !said && prints(shownLines(strings.Join(got, "\n")), shownLines(want)) {
				said = true
				close(ready)
			}
		}
		if !said {
			ready <- strings.Join(got, "\n")
		}
	}()
	l.t.Cleanup(func() { // after the context has ended
		<-ended
		_ = cmd.Wait() // ended by the signal
	})
	if got, early := <-ready; early {
		l.t.Fatalf("%s prints\n%s\nand the page shows\n%s", command, got, want)
	}
}

func (l *lesson) environment() []string {
	return append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOSUMDB=off")
}

// command runs a command offline. A new module replaces graphgen by this repository.
func (l *lesson) command(args []string) (string, error) {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), args[0], args[1:]...)
	cmd.Dir = l.dir
	cmd.Env = l.environment()
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

// moment matches the time of a line of a log, and instant a time in JSON.
var (
	moment  = regexp.MustCompile(`\b\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\b`)
	instant = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT[\d:.]+Z`)
)

// shownLines returns the lines of an output, with every elapsed time as 0.000s, and every time as that of the pages.
func shownLines(text string) []string {
	text = moment.ReplaceAllString(elapsed.ReplaceAllString(text, "0.000s"), "2026/01/31 09:00:00")
	text = instant.ReplaceAllString(text, "2026-01-31T09:00:00Z")
	return strings.Split(strings.TrimSpace(text), "\n")
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
