package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen/internal/testing/pairwise"
	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/gotag"
	"github.com/graphgen/graphgen/spec/link"
)

// A side is one of the compilers, with a copy of the repository to work on.
type side struct {
	dir    string
	binary string
}

// fileMark begins the line above the content of a stream or a file.
const fileMark = "-- "

// listed are the lines of graphgen generate -v that name a file that it gives.
var listed = regexp.MustCompile(`(?m)^(?:wrote|up to date) (.+)$`)

// longestCall is when a call is ended that does not end.
const longestCall = 5 * time.Minute

// run is the side's tool.
func (s *side) run(ctx context.Context, args []string) (int, string) {
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.binary, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1") // the two sides run at the same time
	status := 0
	if err := cmd.Run(); err != nil {
		status = -1
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			status = exit.ExitCode()
		}
	}
	out := listed.ReplaceAllString(stdout.String(), "gives $1")
	text := fileMark + "standard output\n" + out + "\n" + fileMark + "standard error\n" + stderr.String()
	for _, m := range listed.FindAllStringSubmatch(stdout.String(), -1) {
		content, err := os.ReadFile(filepath.Join(s.dir, m[1]))
		if err != nil {
			content = []byte(err.Error())
		}
		text += "\n" + fileMark + m[1] + "\n" + string(content)
	}
	return status, strings.ReplaceAll(text, s.dir, "DIR")
}

// made is the folder of the inputs that are no files of the repository.
const made = "made"

// pricesFile has prices for graphgen check -prices.
const pricesFile = "prices.txt"

// write writes a file of both sides. What goes wrong is kept.
func (j *job) write(name, text string) {
	for _, s := range j.sides {
		file := filepath.Join(s.dir, filepath.FromSlash(name))
		j.err = errors.Join(j.err, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644))
	}
}

// collect writes the inputs of all classes.
func (j *job) collect(ctx context.Context) error {
	j.write(pricesFile, "default 3 15 1000 1000\nlight 1 2 1000\n")
	j.repository(ctx)
	for _, r := range slices.Concat(spec.SyntaxRules(), check.Rules(), gotag.Rules()) {
		j.example("rules/"+r.Code+"-bad", r.Bad)
		j.example("rules/"+r.Code+"-good", r.Good)
	}
	j.random()
	j.lists[none] = []input{nil}
	j.lists[accepted] = j.accepted(ctx, j.lists[all])
	progress("%d graphs, %d of them without errors", len(j.lists[all]), len(j.lists[accepted]))
	if j.err == nil && len(j.lists[all]) == 0 {
		return errors.New("there is no input of that name")
	}
	return j.err
}

// add makes an input of a list.
func (j *job) add(list inputs, in ...string) {
	if slices.ContainsFunc(in, j.run.MatchString) {
		j.lists[list] = append(j.lists[list], in)
	}
}

// graph reports whether a file holds graphs.
func graph(name, text string) bool {
	return link.IsSpec(name) || strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && gotag.Holds([]byte(text))
}

// repository copies the files of the working tree. Its graphs are inputs; of those in other files, examples are made.
func (j *job) repository(ctx context.Context) {
	names, err := git(ctx, j.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	j.err = errors.Join(j.err, err)
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(j.root, name))
		if errors.Is(err, fs.ErrNotExist) { // removed, and not yet committed
			continue
		}
		text := string(content)
		j.err = errors.Join(j.err, err)
		j.write(name, text)
		base := strings.TrimSuffix(path.Base(name), path.Ext(name))
		switch {
		case path.Ext(name) == ".go" && strings.HasPrefix(name, "testdata/tagged/"): // each a package of its own
			j.example(strings.TrimSuffix(strings.TrimPrefix(name, "testdata/"), ".go"), text)
		case graph(name, text):
			j.add(all, name)
		case path.Dir(name) == "testdata/syntax" && path.Ext(name) == ".yaml":
			j.example("syntax/"+base, text)
		case path.Ext(name) == ".txtar":
			if start := strings.Index(text, "\n-- "); start >= 0 {
				j.example("scripts/"+base, text[start+1:])
			}
		case path.Ext(name) == ".md":
			for i, m := range yamlBlock.FindAllStringSubmatch(text, -1) {
				j.example(fmt.Sprintf("pages/%s-%d", base, i+1), m[1])
			}
		}
	}
}

var yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")

// example adds an example of one file, or of several.
func (j *job) example(name, text string) {
	if j.seen[text] {
		return
	}
	j.seen[text] = true
	alone := "example.graph.yaml"
	if gotag.Holds([]byte(text)) {
		alone = "example.go"
	}
	for _, f := range diag.Files(alone, text) {
		file := path.Join(made, name, f.Name)
		if !filepath.IsLocal(f.Name) || path.Ext(file) != ".go" && path.Ext(file) != ".yaml" {
			continue
		}
		j.write(file, f.Text)
		if graph(file, f.Text) {
			j.add(all, file)
		}
	}
}

// random adds random graphs, a mutant of each, and their pairs.
func (j *job) random() {
	var last string
	for i := range j.n {
		r := rand.New(rand.NewPCG(j.seed, uint64(i)))
		name := fmt.Sprintf("r%04d", i)
		text, inner := randomGraph(r, i, name)
		other := mutant(r, text)
		for range 20 {
			if i%3 == 0 || readable(other) { // a third is for the diagnostics of the reader
				break
			}
			other = mutant(r, text)
		}
		var files []string
		for k, t := range []string{text, other} {
			folder := path.Join(made, "random", name+[...]string{"", "-mutant"}[k])
			files = append(files, path.Join(folder, name+".graph.yaml"))
			j.write(files[k], t)
			j.add(all, files[k])
			if inner != "" {
				j.write(path.Join(folder, "z.graph.yaml"), inner)
			}
		}
		j.add(mutants, files...)
		j.add(pairs, files...)
		if last != "" {
			j.add(pairs, last, files[0])
			j.add(pairs, files[0], last)
		}
		last = files[0]
	}
}

// readable reports whether diff can compare a text.
func readable(text string) bool {
	_, found := spec.Load("g.graph.yaml", []byte(text))
	return !diag.HasErrors(found)
}

// randomGraph returns the text of a random graph, and the text of one that it uses from z.graph.yaml, if any.
func randomGraph(r *rand.Rand, i int, name string) (text, inner string) {
	switch i % 10 {
	case 0, 1, 2:
		return randomgraph.Make(r, name, randomgraph.Options{Models: i%10 == 1, Composes: i%10 == 2}), ""
	case 3:
		return randomgraph.Make(r, name, randomgraph.Options{Tables: true, Models: r.IntN(2) == 0, Composes: r.IntN(2) == 0}), ""
	case 4:
		return randomgraph.Mutating(r, name), ""
	case 5:
		return randomgraph.Inside(r, name), ""
	case 6:
		return randomgraph.Nested(r, name, "z", randomgraph.Options{})
	}
	kinds := spec.Names(spec.Kinds)
	c := pairwise.Case{Kind: kinds[r.IntN(len(kinds))]}
	options := pairwise.Options(c.Kind)
	for range 1 + r.IntN(3) {
		if o := options[r.IntN(len(options))]; !slices.ContainsFunc(c.Options, o.Excludes) {
			c.Options = append(c.Options, o)
		}
	}
	return c.Spec(i), ""
}

// place is what a mutant may have otherwise.
var place = regexp.MustCompile(`[A-Za-z_]{3,}|[0-9]+|\n`)

// mutant changes one place of a text: it swaps two letters of a word, changes a number, or leaves out a line.
func mutant(r *rand.Rand, text string) string {
	places := place.FindAllStringIndex(text, -1)
	for {
		p := places[r.IntN(len(places))]
		before, at, after := text[:p[0]], text[p[0]:p[1]], text[p[1]:]
		switch i := 1 + r.IntN(len(at)); {
		case at == "\n":
			_, after, _ = strings.Cut(after, "\n")
		case '0' <= at[0] && at[0] <= '9':
			at = fmt.Sprint(r.IntN(9))
		case i < len(at):
			at = at[:i-1] + at[i:i+1] + at[i-1:i] + at[i+1:]
		}
		if changed := before + at + after; changed != text {
			return changed
		}
	}
}

// accepted returns the inputs in which the compiler of the working tree finds no error. If check gives no findings for a
// batch, because one input is not an operand of check, the batch is halved.
func (j *job) accepted(ctx context.Context, batch []input) []input {
	cmd := exec.CommandContext(ctx, j.sides[1].binary, call([]string{"check", "-json"}, batch)...)
	cmd.Dir = j.sides[1].dir
	out, _ := cmd.Output() // status 1 if there are errors
	var found []struct{ File, Severity string }
	if json.Unmarshal(out, &found) != nil {
		if len(batch) < 2 {
			return nil
		}
		half := len(batch) / 2
		return append(j.accepted(ctx, batch[:half]), j.accepted(ctx, batch[half:])...)
	}
	refused := map[string]bool{}
	for _, d := range found {
		refused[d.File] = refused[d.File] || d.Severity == diag.Error.String()
	}
	return slices.DeleteFunc(slices.Clone(batch), func(in input) bool { return refused[in[0]] })
}
