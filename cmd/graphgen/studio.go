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
	Server   string   `arg:"" placeholder:"URL" help:"A server of contrib/serve, with the option Details."`
	Addr     string   `default:"localhost:8090" placeholder:"HOST:PORT" help:"Address of this machine to listen on (default: ${default})."`
	Header   []string `sep:"none" placeholder:"NAME:VALUE" help:"Header to send to the server, such as Authorization: Bearer TOKEN. Repeatable."`
	ReadOnly bool     `help:"Show, and change nothing."`
	Browser  bool     `help:"Open the page in the browser."`
}

func (studioVerb) Help() string {
	return `It shows the graphs of the server with their pictures, starts runs by forms that are made of their schemas, shows runs as
they happen, answers what they ask, and shows threads with their states, from each of which a fork can be made. Graphs have pictures
and forms with serve: true in their specs.

The page is for this machine alone. Programs can serve it themselves: package contrib/studio.

Examples:

  graphgen studio http://localhost:8080 -browser
  graphgen studio https://shop.example/agents -read-only -header "Authorization: Bearer $TOKEN"
`
}

// Run serves the page until it is interrupted.
func (v *studioVerb) Run(ctx context.Context, t *terminal) error {
	handler, err := v.handler()
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", v.Addr)
	if err != nil {
		return err
	}
	page := "http://" + l.Addr().String() + "/"
	fmt.Fprintf(t.out, "the studio of %s is at %s; ctrl-C ends\n", v.Server, page)
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

// handler returns the studio over a proxy of the server.
func (v *studioVerb) handler() (http.Handler, error) {
	to, err := url.Parse(v.Server)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		return nil, fmt.Errorf("%s: the URL of a server is like http://localhost:8080", v.Server)
	}
	headers := http.Header{}
	for _, h := range v.Header {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, fmt.Errorf("-header %s: it is NAME:VALUE", h)
		}
		headers.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Header.Del("Origin") // this page is the origin, and the studio refuses others
		r.Out.Header.Del("Cookie")
		for name := range headers {
			r.Out.Header.Set(name, headers.Get(name))
		}
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte(`{"type":"about:blank","status":502,"code":"gateway","detail":"The server cannot be reached."}`)) // its client has gone
	}}
	return local(http.NewCrossOriginProtection().Handler(studio.Handler(proxy, v.ReadOnly))), nil
}

// local refuses pages of other names that lead to this machine.
func local(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
		if host != "localhost" && (err != nil || !addr.IsLoopback()) {
			http.Error(w, "the studio is for this machine", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}
