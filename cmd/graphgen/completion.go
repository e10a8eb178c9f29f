package main

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec/escape"
)

type completionVerb struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: ${enum}."`
}

func (completionVerb) Help() string {
	return `The script asks graphgen itself what can follow, so that it fits the graphgen that is installed.

To have it in every session:

  bash    echo 'source <(graphgen completion bash)' >> ~/.bashrc
  zsh     echo 'source <(graphgen completion zsh)' >> ~/.zshrc      behind compinit
  fish    graphgen completion fish > ~/.config/fish/conf.d/graphgen.fish

It completes go tool graphgen, too. Where there is no other, go tool graphgen completion SHELL writes the script.
`
}

// completionScripts holds a script for each shell. They all do the same: they hand the words
// of the command line to the verb _complete, and offer what it writes.
//
//go:embed completion
var completionScripts embed.FS

// Run prints the script of a shell.
func (v *completionVerb) Run(t *terminal) error {
	script, err := completionScripts.ReadFile("completion/graphgen." + v.Shell)
	if err != nil {
		return err
	}
	_, err = t.out.Write(script)
	return err
}

// completeVerb is what the scripts call.
type completeVerb struct {
	Words []string `arg:"" optional:"" passthrough:"all" help:"The words behind graphgen, up to the one at the cursor, which may be empty."`
}

// Run writes a line for each word that can stand where the last one is: the word, and
// behind a tab what it means.
func (v *completeVerb) Run(t *terminal) error {
	words := v.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	for _, c := range complete(new(commandLine).parser().Model.Node, words) {
		if strings.ContainsFunc(c.word, func(r rune) bool { return !escape.Harmless(r) }) {
			continue // the name of a file that no line can give
		}
		line := c.word
		if c.help != "" {
			line += "\t" + strings.ReplaceAll(c.help, "\n", " ")
		}
		if _, err := fmt.Fprintln(t.out, line); err != nil {
			return err
		}
	}
	return nil
}

// A candidate is a word that can stand at the cursor.
type candidate struct{ word, help string }

// complete returns what the last of the words can be.
func complete(app *kong.Node, words []string) []candidate {
	at := cursor{app: app, node: app}
	last := len(words) - 1
	for _, w := range words[:last] {
		at.pass(w)
	}
	word := words[last]
	if word == "=" { // bash makes it a word of its own
		word = ""
	}
	var list []candidate
	for _, c := range at.candidates(word) {
		if strings.HasPrefix(c.word, word) {
			list = append(list, c)
		}
	}
	return list
}

// A cursor is a place of a command line.
type cursor struct {
	app, node *kong.Node
	operands  int        // how many of the verb's stand before it
	value     *kong.Flag // the flag whose value comes next
}

// pass moves behind a word.
func (c *cursor) pass(word string) {
	switch {
	case word == "=":
	case c.value != nil:
		c.value = nil
	case strings.HasPrefix(word, "-"):
		name, _, given := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if f := c.flag(name); f != nil && !f.IsBool() && !given {
			c.value = f
		}
	default:
		if c.node == c.app && c.operands == 0 {
			for _, verb := range c.app.Children {
				if verb.Name == word {
					c.node = verb
					return
				}
			}
		}
		c.operands++
	}
}

// flags returns the flags that can stand here.
func (c *cursor) flags() []*kong.Flag {
	flags := c.verb().Flags
	if c.verb() != c.app {
		flags = append(flags[:len(flags):len(flags)], c.app.Flags...)
	}
	return flags
}

// verb returns the verb at hand: the default one where none is written.
func (c *cursor) verb() *kong.Node {
	if c.node == c.app && c.app.DefaultCmd != nil {
		return c.app.DefaultCmd
	}
	return c.node
}

func (c *cursor) flag(name string) *kong.Flag {
	for _, f := range c.flags() {
		if f.Name == name || f.Short != 0 && string(f.Short) == name {
			return f
		}
	}
	return nil
}

// candidates returns what can stand here, more than what the word begins.
func (c *cursor) candidates(word string) (list []candidate) {
	switch {
	case c.value != nil:
		return values(c.value.Value, word)
	case strings.HasPrefix(word, "-"):
		return c.flagsFor(word)
	}
	if c.node == c.app && c.operands == 0 {
		for _, verb := range c.app.Children {
			if !verb.Hidden {
				list = append(list, candidate{verb.Name, verb.Help})
			}
		}
	}
	operands := c.verb().Positional
	if len(operands) == 0 {
		return list
	}
	at := min(c.operands, len(operands)-1)
	if c.operands > at && !operands[at].IsCumulative() {
		return list
	}
	return append(list, values(operands[at], word)...)
}

// flagsFor returns the flags, written with as many dashes as the word, or the values of the
// one it names.
func (c *cursor) flagsFor(word string) (list []candidate) {
	dashes := "-"
	if strings.HasPrefix(word, "--") {
		dashes = "--"
	}
	if name, begun, given := strings.Cut(word, "="); given {
		if f := c.flag(strings.TrimLeft(name, "-")); f != nil {
			for _, v := range values(f.Value, begun) {
				list = append(list, candidate{name + "=" + v.word, v.help})
			}
		}
		return list
	}
	for _, f := range c.flags() {
		if !f.Hidden {
			list = append(list, candidate{dashes + f.Name, f.Help})
		}
	}
	return list
}

// values returns what a flag or an operand can be.
func values(v *kong.Value, word string) (list []candidate) {
	if v.Enum != "" {
		for name := range strings.SplitSeq(v.Enum, ",") {
			list = append(list, candidate{word: name})
		}
		return list
	}
	placeholder := ""
	if v.Flag != nil {
		placeholder = v.Flag.PlaceHolder
	}
	switch {
	case placeholder == "FILE":
		return files(word, "")
	case placeholder == "DIR", v.Name == "dir":
		return files(word)
	case v.Flag != nil:
		return nil
	case v.Name == "code":
		for _, f := range families() {
			for _, r := range f.rules {
				list = append(list, candidate{r.Code, r.Name})
			}
		}
		return list
	}
	return files(word, specSuffix, scenario.Suffix)
}

// files returns the directories, and the files whose names end in one of the suffixes, that
// a path can go on with.
func files(path string, suffixes ...string) (list []candidate) {
	dir, begun := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean("./" + dir))
	if filepath.IsAbs(dir) {
		entries, err = os.ReadDir(dir)
	}
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if hidden(name) && begun == "" {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			list = append(list, candidate{word: dir + name + string(filepath.Separator)})
			continue
		}
		for _, s := range suffixes {
			if strings.HasSuffix(name, s) {
				list = append(list, candidate{word: dir + name})
				break
			}
		}
	}
	return list
}
