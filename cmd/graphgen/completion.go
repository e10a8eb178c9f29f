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
	return `The script asks graphgen for the candidates, so it fits the installed version.

To load it in every session:

  bash    echo 'source <(graphgen completion bash)' >> ~/.bashrc
  zsh     echo 'source <(graphgen completion zsh)' >> ~/.zshrc      after compinit
  fish    graphgen completion fish > ~/.config/fish/conf.d/graphgen.fish

It also completes go tool graphgen. If graphgen is not on PATH, go tool graphgen completion SHELL prints the script.
`
}

// completionScripts holds a script for each shell. Each passes the words of the command line
// to the verb _complete, and offers its output.
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

// completeVerb is the verb that the scripts call.
type completeVerb struct {
	Words []string `arg:"" optional:"" passthrough:"all" help:"The words after graphgen, up to the one at the cursor, which may be empty."`
}

// Run writes a line for each candidate for the last word: the word, a tab, and its help.
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
			continue // a file name that a line cannot hold
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

// A candidate is a word that fits at the cursor.
type candidate struct{ word, help string }

// complete returns the candidates for the last word.
func complete(app *kong.Node, words []string) []candidate {
	at := cursor{app: app, node: app}
	last := len(words) - 1
	for _, w := range words[:last] {
		at.pass(w)
	}
	word := words[last]
	if word == "=" { // bash makes it a separate word
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

// A cursor is a position on a command line.
type cursor struct {
	app, node *kong.Node
	operands  int        // operands of the verb before it
	value     *kong.Flag // the flag whose value is next
}

// pass moves past a word.
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
		if c.operands == 0 {
			for _, verb := range c.node.Children {
				if verb.Name == word {
					c.node = verb
					return
				}
			}
		}
		c.operands++
	}
}

// flags returns the flags that fit at the cursor.
func (c *cursor) flags() []*kong.Flag {
	flags := c.verb().Flags
	if c.verb() != c.app {
		flags = append(flags[:len(flags):len(flags)], c.app.Flags...)
	}
	return flags
}

// verb returns the current verb; without one, the default verb.
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

// candidates returns all candidates, of which word may be a prefix.
func (c *cursor) candidates(word string) (list []candidate) {
	switch {
	case c.value != nil:
		return values(c.value.Value, word)
	case strings.HasPrefix(word, "-"):
		return c.flagsFor(word)
	}
	if c.operands == 0 {
		for _, verb := range c.node.Children {
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

// flagsFor returns the flags, with as many dashes as the word, or the values of the flag that it
// names.
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

// values returns the values of a flag or an operand.
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
	case v.Name == "files":
		return files(word, ".yaml", ".yml")
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

// files returns directories and files with one of the suffixes that continue a path.
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
