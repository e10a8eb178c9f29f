package mcp

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/graphgen/graphgen/chat"
)

// The defaults of the options.
const (
	DefaultLimit    = 4 << 20          // bytes
	DefaultRestarts = 5                // of a process, within RestartWindow
	DefaultStart    = 30 * time.Second // until a server has to be ready
	DefaultGrace    = 2 * time.Second  // for each step of ending a server
	RestartWindow   = 10 * time.Minute // after which a death is forgotten
)

// An Option is for servers of both kinds.
type Option func(*config)

// A CommandOption is for servers that are processes. Every Option is one.
type CommandOption interface{ command(*config) }

// An HTTPOption is for servers that are reached over HTTP. Every Option is one.
type HTTPOption interface{ http(*config) }

type commandOption func(*config)
type httpOption func(*config)

func (o Option) command(c *config)        { o(c) }
func (o Option) http(c *config)           { o(c) }
func (o commandOption) command(c *config) { o(c) }
func (o httpOption) http(c *config)       { o(c) }

// Name names the server in errors. The default is the name of a process's program, or the
// host of an HTTP server.
func Name(name string) Option { return func(c *config) { c.name = name } }

// Limit sets how many bytes an answer may have: a result, or a page of the list of tools,
// as JSON on the wire. To decode one, about ten times as much is allocated, one copy after
// the other.
func Limit(bytes int) Option { return func(c *config) { c.limit = bytes } }

// Restarts sets how often a server may be started or connected again within RestartWindow;
// 0: never, below 0: without limit. By default a server of HTTP is connected again without
// limit.
func Restarts(n int) Option { return func(c *config) { c.restarts = n } }

// StartTimeout sets how long a server has until it is ready: from its start, and from the use
// that follows a call which ended without an answer.
func StartTimeout(d time.Duration) Option { return func(c *config) { c.start = d } }

// Grace sets how long a server has to end when its input is closed, and again when it is
// signalled to terminate, before it is killed. It also bounds the end of an HTTP session.
func Grace(d time.Duration) Option { return func(c *config) { c.grace = d } }

// Protocol has the server spoken to in this version of the protocol, such as "2025-11-25".
// Without it the newest is tried first, and a server that does not know it is asked for an
// older one; that is for servers which do not even answer the question.
func Protocol(version string) Option { return func(c *config) { c.protocol = version } }

// LeaveOut leaves out the tools that no model can be given, and reports each, a *DescriptionError,
// whenever the list is read. Without it, one of them is the error of the whole list: a graph does not run
// with half of its tools.
func LeaveOut(report func(error)) Option { return func(c *config) { c.leaveOut = report } }

// Env sets a variable of the process's environment. Without it, a process has only what
// programs need to run at all (PATH, HOME, the language, the temporary directory …), so
// that no key of this program gets to it unasked.
func Env(name, value string) CommandOption {
	return commandOption(func(c *config) { c.env = append(c.env, name+"="+value) })
}

// Secret is Env for a value that must not be seen: it is taken out of errors, results, and
// what the process writes to its standard error.
func Secret(name, value string) CommandOption {
	return commandOption(func(c *config) {
		c.env = append(c.env, name+"="+value)
		c.secrets = append(c.secrets, value)
	})
}

// Dir is the directory that the process runs in. Without it, it is this one's.
func Dir(path string) CommandOption { return commandOption(func(c *config) { c.dir = path }) }

// Stderr receives what the process writes to its standard error, and what it writes to its
// standard output that is not a message of the protocol. Write is called by one goroutine at a
// time; one that blocks blocks the process.
func Stderr(w io.Writer) CommandOption { return commandOption(func(c *config) { c.stderr = w }) }

// Header sets a header of every request to the server's own host. Its value is treated as a
// secret: it appears in no error and no result.
func Header(name, value string) HTTPOption {
	return httpOption(func(c *config) {
		c.header.Set(name, value)
		c.secrets = append(c.secrets, value)
	})
}

// Bearer sends a token with every request. It appears in no error and no result.
func Bearer(token string) HTTPOption {
	return httpOption(func(c *config) {
		c.header.Set("Authorization", "Bearer "+token)
		c.secrets = append(c.secrets, token)
	})
}

// HTTPClient is the client that requests are made with. It must have no timeout: an answer
// may stream for as long as its call.
func HTTPClient(client *http.Client) HTTPOption {
	return httpOption(func(c *config) { c.client = client })
}

type config struct {
	name     string
	limit    int
	restarts int
	start    time.Duration
	grace    time.Duration
	protocol string
	secrets  []string
	leaveOut func(error) // nil: no tool is
	clock    clock
	watcher  Watcher                                            // nil: none
	ask      func(context.Context, Elicitation) ([]byte, error) // nil: nobody

	argv   []string
	env    []string
	dir    string
	stderr io.Writer

	endpoint *url.URL
	header   http.Header
	client   *http.Client
}

func newConfig() config {
	return config{
		limit: DefaultLimit, restarts: DefaultRestarts, start: DefaultStart, grace: DefaultGrace,
		clock: wall{}, header: http.Header{},
	}
}

// redact takes the secrets out of a text. A longer one goes first: it may hold a shorter.
func (c *config) redact(text string) string { return chat.Redact(text, c.secrets...) }

// environment returns what a process gets: what every program needs, then what is asked for.
func (c *config) environment() []string {
	needed := []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ", "TMPDIR",
		"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
	}
	if runtime.GOOS == "windows" {
		needed = []string{
			"PATH", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "TEMP", "TMP", "USERNAME", "USERPROFILE",
			"HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
		}
	}
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		for _, n := range needed {
			if strings.EqualFold(n, name) {
				env = append(env, entry)
			}
		}
		if strings.HasPrefix(name, "LC_") {
			env = append(env, entry)
		}
	}
	return append(env, c.env...)
}
