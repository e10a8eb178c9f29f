// Package mcp makes the tools of MCP servers tools of a graph. A Server is a chat.Toolbox,
// over the standard streams of a process that it starts, or over streamable HTTP. It is
// built on the official SDK of the Model Context Protocol.
//
//	files, err := mcp.Command([]string{"mcp-files", "/srv/docs"}, mcp.Stderr(os.Stderr))
//	if err != nil {
//		return err
//	}
//	defer files.Close()
//	issues, err := mcp.HTTP("https://mcp.example.com/v1", mcp.Bearer(os.Getenv("ISSUES_TOKEN")))
//	if err != nil {
//		return err
//	}
//	defer issues.Close()
//	tools := mcp.Join(mcp.Prefix("files", files), mcp.Prefix("issues", issues))
//
// Nothing is started or reached before it is used. The list of tools is kept, and fetched
// again when the server reports that it changed.
//
// # What goes wrong
//
// Every fault of a server is an error for the model, and never more than that. A tool that
// fails is a ToolError, a call that the server does not accept a CallError, a
// result above the limit a TooLargeError. A server that dies is a DownError, with its exit
// status and the end of its standard error. The next use starts it again, or connects again,
// after a wait that grows, and only as often as Restarts allows. A call is not repeated,
// unless the server refused it. A call that hangs ends with its context, and the server is
// notified; a process that does not answer a ping after that is replaced.
//
// A tool that a provider would refuse, for an empty or absurd name or a broken schema, is a
// DescriptionError of the list. With LeaveOut it is left out and reported.
//
// # What is bounded
//
// One message of a server holds no more memory than the limit, however long it is.
// Notifications are dropped on arrival. Requests of the server (this client offers
// it nothing) are answered up to a number at a time. Close leaves no process of the
// server's group running, and no goroutine.
package mcp
