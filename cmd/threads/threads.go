// Package threads is the verb threads of graphgen: it lists, shows and changes the threads of any store, without the graphs that wrote
// them. A program that links further stores runs it by Main.
package threads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	neturl "net/url"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/graphgen/graphgen/cmd/internal/dashes"
	"github.com/graphgen/graphgen/spec/escape"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

// A Command is what the verb works with.
type Command struct {
	In     io.Reader
	Out    io.Writer // of texts, for a terminal
	Data   io.Writer // of JSON
	Stores Stores
}

// Stores open the store of a URL, by the scheme of the URL. With create, one that does not exist is made.
type Stores map[string]func(ctx context.Context, url string, create bool) (thread.Store, error)

// Files are the stores that need no database.
func Files() Stores {
	return Stores{"file": func(_ context.Context, url string, create bool) (thread.Store, error) {
		path := Path(url)
		if !create && !filestore.Exists(path) {
			return nil, Missing(path)
		}
		return filestore.Open(path)
	}}
}

// Path returns the path of a URL such as file:threads or file:///var/threads.
func Path(url string) string {
	_, path, _ := strings.Cut(url, ":")
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		return rest
	}
	return path
}

// Missing is the error of a path without a store: to look at a store does not make one.
func Missing(path string) error { return fmt.Errorf("%s: there is no store here", path) }

// elsewhere are the schemes of stores that a program of another module has.
var elsewhere = []string{"sqlite", "postgres", "postgresql", "redis", "rediss", "unix"}

// IsElsewhere reports whether the store of a URL is one that a program of another module has.
func IsElsewhere(url string) bool {
	scheme, _, ok := strings.Cut(url, ":")
	return ok && slices.Contains(elsewhere, scheme)
}

// Redacted returns the URL of a store without its password. All up to the last @ is taken for it, as the password of a URL which is not valid may have
// every character.
func Redacted(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	at := strings.LastIndexByte(rest, '@')
	user, _, secret := strings.Cut(rest[:max(at, 0)], ":")
	if ok && secret {
		url = scheme + "://" + user + ":xxxxx" + rest[at:]
	}
	return escape.Secrets(url)
}

// A hidden error has the text of another one without the password of a URL.
type hidden struct {
	error
	url string
}

func (e *hidden) Error() string { return strings.ReplaceAll(e.error.Error(), e.url, Redacted(e.url)) }

func (e *hidden) Unwrap() error { return e.error }

// Open opens the store of a URL.
func (s Stores) Open(ctx context.Context, url string, create bool) (thread.Store, error) {
	scheme, rest, ok := strings.Cut(url, ":")
	if strings.HasPrefix(rest, "//") {
		if _, err := neturl.Parse(url); err != nil { // its error has parts of the password
			return nil,
				fmt.Errorf("%s: the URL of the store is not valid: characters of a password such as / ? # @ and blanks are written "+
					"as %% and two digits", Redacted(url))
		}
	}
	open := s[scheme]
	switch {
	case ok && open != nil:
		return open(ctx, url, create)
	case slices.Contains(elsewhere, scheme):
		return nil,
			fmt.Errorf("%s: this program has no store %s; go get -tool github.com/graphgen/graphgen/contrib/threads adds one that "+
				"has: go tool threads", url, scheme)
	case !ok:
		return nil, fmt.Errorf("%s: the URL of a store begins with its scheme, such as file:%s; this program has %s", url, url, s.schemes())
	}
	return nil, fmt.Errorf("%s: there is no store %s; this program has %s", url, scheme, s.schemes())
}

func (s Stores) schemes() string { return strings.Join(slices.Sorted(maps.Keys(s)), ", ") }

// with opens a store that exists, calls do, and closes the store.
func (c *Command) with(ctx context.Context, url string, do func(thread.Store) error) error {
	return c.open(ctx, url, false, do)
}

func (c *Command) open(ctx context.Context, url string, create bool, do func(thread.Store) error) (err error) {
	defer func() {
		if err != nil {
			err = &hidden{err, url}
		}
	}()
	s, err := c.Stores.Open(ctx, url, create)
	if err != nil {
		return err
	}
	defer func() {
		switch s := s.(type) {
		case interface{ Close() error }:
			err = errors.Join(err, s.Close())
		case interface{ Close() }:
			s.Close()
		}
	}()
	return do(s)
}

// Verb is the grammar of the verb.
type Verb struct {
	List      listVerb      `cmd:"" help:"List threads."`
	Show      showVerb      `cmd:"" help:"Show a thread: its requests, its steps, its state."`
	Resume    resumeVerb    `cmd:"" help:"Print the program that answers a request."`
	Stop      stopVerb      `cmd:"" help:"Ask runs to stop."`
	Fork      forkVerb      `cmd:"" help:"Make a thread that continues from a step of another one."`
	Export    exportVerb    `cmd:"" help:"Write threads as JSON lines."`
	Positions positionsVerb `cmd:"" help:"Write where threads are, for graphgen check."`
	Import    importVerb    `cmd:"" help:"Read threads that export wrote."`
	Prune     pruneVerb     `cmd:"" help:"Remove records that the last snapshot replaces."`
	Delete    deleteVerb    `cmd:"" help:"Delete threads."`
}

// Help is the text of the verb.
func (Verb) Help() string {
	return `A store is a URL: file:FOLDER here. With sqlite:FILE, postgres://… and redis://… too, the verb is a tool of
another module: go get -tool github.com/graphgen/graphgen/contrib/threads.

It needs neither the spec nor the code of a graph, and executes nothing. Threads may be running meanwhile.

Examples:

  graphgen threads list file:threads
  graphgen threads show file:threads letter-7
  graphgen threads fork file:threads letter-7 letter-8 -at 12 -set 'text="Dear otters"'
  go tool threads list sqlite:threads.db
`
}

// Main runs the verb as a program with the stores given, and returns its exit status.
func Main(ctx context.Context, name string, args []string, stores Stores) int {
	var line Verb
	out := escape.Writer(os.Stdout)
	exited := -1
	parser, err := kong.New(&line, kong.Name(name), kong.Description("Lists, shows and changes threads of graphs, in any store.\n\n"+line.Help()),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.Writers(out, escape.Writer(os.Stderr)), kong.Exit(func(code int) { exited = code }),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		panic(err) // a mistake in the grammar
	}
	parsed, err := parser.Parse(dashes.Two(args))
	if exited >= 0 { // -help, already printed
		return exited
	}
	if err == nil {
		err = parsed.Run(&Command{In: os.Stdin, Out: out, Data: os.Stdout, Stores: stores})
	} else {
		err = fmt.Errorf("%w\nsee %s -help", err, name)
	}
	if err != nil {
		fmt.Fprintf(escape.Writer(os.Stderr), "%s: %s\n", name, escape.Secrets(err.Error()))
		return 2
	}
	return 0
}
