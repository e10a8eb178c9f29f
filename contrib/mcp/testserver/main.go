// Command testserver is an MCP server for tests, built with the official SDK. Its tools
// answer in every form of the protocol, or crash, hang and flood on request. It serves over its
// standard streams, or over HTTP.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	address := flag.String("http", "", "serve over HTTP at this `address`, and print the one that it is")
	stateless := flag.Bool("stateless", false, "over HTTP, hold no sessions")
	asJSON := flag.Bool("json", false, "over HTTP, answer in one piece instead of a stream")
	static := flag.Bool("static", false, "have a list of tools that never changes")
	trace := flag.Bool("trace", false, "print every page of the list of tools to the standard error")
	child := flag.String("child", "", "hold a connection to this `address` until killed, and do nothing else")
	fail := flag.String("fail", "", "write this `text` to the standard error and exit with status 4")
	flag.Parse()
	log.SetFlags(0)
	switch {
	case *fail != "":
		fmt.Fprintln(os.Stderr, *fail)
		os.Exit(4)
	case *child != "":
		hold(*child)
	}
	s := newServer(*static)
	if *trace {
		s.AddReceivingMiddleware(listed)
	}
	if *address == "" {
		if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			log.Fatal(err)
		}
		return
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{
		Stateless: *stateless, JSONResponse: *asJSON, PropagateRequestCancellation: true,
	})
	log.Fatal(http.Serve(listener, spoil(handler)))
}

// newServer returns a server with all tools. Two tools a page, so that there are pages.
func newServer(static bool) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "testserver", Version: "1"}, &sdk.ServerOptions{
		PageSize: 2, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: !static}},
	})
	answers(s)
	troubles(s)
	return s
}

// listed logs every request for a page of the list of tools.
func listed(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if method == "tools/list" {
			fmt.Fprintln(os.Stderr, method)
		}
		return next(ctx, method, req)
	}
}

// hold keeps a connection open for as long as the process lives.
func hold(address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(conn, "here")
	_, _ = bufio.NewReader(conn).ReadByte()
	select {}
}
