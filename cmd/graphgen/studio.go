package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/graphgen/graphgen/internal/studio"
)

type studioVerb struct {
	Of       []string `arg:"" optional:"" sep:"none" placeholder:"URL|PATH|RUN" help:"URL of a server with Details; specs; recordings."`
	Addr     string   `default:"localhost:8090" placeholder:"HOST:PORT" help:"Address of this machine to listen on (default: ${default})."`
	Header   []string `sep:"none" placeholder:"NAME:VALUE" help:"Header to send to the server, such as Authorization: Bearer TOKEN. Repeatable."`
	ReadOnly bool     `help:"Do not allow any change."`
	Browser  bool     `help:"Open the page in the browser."`
}

func (studioVerb) Help() string {
	return `Given the URL of a server of contrib/serve with the option Details, it shows the graphs, starts runs with forms, shows runs as they happen,
answers their questions, and shows the states of threads, from which you can fork. Graphs need serve: true in their specs for pictures and forms.

Given paths of specs, it runs the scenarios and shows their paths in the picture, and marks changes since a Git revision. Without operands, it
takes the specs of the current directory and below.

Given recordings, it shows each event. A recording is as for show: events as JSON lines in FILE.jsonl, a report in FILE.json, or
file:FOLDER#THREAD. Two runs of a graph can be shown side by side.

The page is served only to this machine. Your programs can serve it with package contrib/studio.

Examples:

  graphgen studio -browser
  graphgen studio -browser http://localhost:8080 ./...
  graphgen studio review.graph.yaml yesterday.jsonl today.jsonl
  graphgen studio -read-only -header "Authorization: Bearer $TOKEN" https://shop.example/agents
`
}

// Run serves the page until it is interrupted.
func (v *studioVerb) Run(ctx context.Context, t *terminal) error {
	handler, err := v.handler(ctx)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", v.Addr)
	if err != nil {
		return err
	}
	page := "http://" + l.Addr().String() + "/"
	fmt.Fprintf(t.out, "the studio is at %s; ctrl-C ends\n", page)
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if v.Browser {
		if err := browse(ctx, page); err != nil {
			fmt.Fprintf(t.err, "graphgen: %v\n", err)
		}
	}
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return context.Cause(ctx)
}

// handler returns the studio over what the operands name.
func (v *studioVerb) handler(ctx context.Context) (http.Handler, error) {
	m := &studioModule{ctx: ctx, running: make(chan struct{}, 1)}
	server := ""
	for _, of := range v.Of {
		switch {
		case strings.HasPrefix(of, "http://"), strings.HasPrefix(of, "https://"):
			if server != "" {
				return nil, fmt.Errorf("%s: the server is %s: a studio is of one", of, server)
			}
			server = of
		case isRecording(of):
			m.recordings = append(m.recordings, of)
		default:
			m.Paths = append(m.Paths, of)
		}
	}
	if len(v.Of) == 0 {
		m.Paths = []string{"./..."}
	}
	if _, err := m.find(); len(m.Paths) > 0 && err != nil {
		return nil, err
	}
	api := http.Handler(http.HandlerFunc(noServer))
	if server != "" {
		var err error
		if api, err = v.proxy(server); err != nil {
			return nil, err
		}
	} else if len(v.Header) > 0 {
		return nil, errors.New("-header is for a server: name its URL")
	}
	page := studio.Handler(api, studio.Options{ReadOnly: v.ReadOnly, Module: m.handler()})
	return local(http.NewCrossOriginProtection().Handler(page)), nil
}

// isRecording reports whether an operand is a recording.
func isRecording(of string) bool {
	file, _, _ := strings.Cut(of, "#")
	return strings.HasPrefix(of, "file:") || strings.HasSuffix(file, ".jsonl") || strings.HasSuffix(file, ".json")
}

// noServer answers for a server where none is named: it serves nothing.
func noServer(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/graphs" {
		studio.Answer(w, map[string]any{"graphs": []any{}})
		return
	}
	studio.Refuse(w, http.StatusNotFound, "no_server", "The studio has no server: graphgen studio URL names one.")
}

// proxy returns a proxy of the server.
func (v *studioVerb) proxy(server string) (http.Handler, error) {
	to, err := url.Parse(server)
	if err != nil || to.Host == "" {
		return nil, fmt.Errorf("%s: the URL of a server is like http://localhost:8080", server)
	}
	headers := http.Header{}
	for _, h := range v.Header {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, fmt.Errorf("-header %s: it is NAME:VALUE", h)
		}
		headers.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Header.Del("Origin") // this page is the origin, and the studio refuses others
		r.Out.Header.Del("Cookie")
		for name := range headers {
			r.Out.Header.Set(name, headers.Get(name))
		}
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
		studio.Refuse(w, http.StatusBadGateway, "gateway", "The server cannot be reached.")
	}}, nil
}

// local refuses other machines, and pages of other names that lead to this machine.
func local(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from, _ := netip.ParseAddrPort(r.RemoteAddr)
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
		if !from.Addr().IsLoopback() || host != "localhost" && (err != nil || !addr.IsLoopback()) {
			http.Error(w, "the studio is for this machine", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}
