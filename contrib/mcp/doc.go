// Package mcp makes the tools of MCP servers tools of a graph: a Server is a chat.Toolbox,
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
// anew when the server says that it changed.
//
// # What goes wrong
//
// Whatever a server does is an error that the model is told, and never more than that: a
// tool that fails is a ToolError, a call that the server does not accept a CallError, a
// result above the limit a TooLargeError. A server that dies is a DownError, with its exit
// status and the last that it wrote to its standard error; the next use starts it again, or
// connects again, after a wait that grows and not endlessly often. A call is not made twice,
// unless the server said that it did not take it. A call that hangs ends with its context, and the server is
// told; a process that does not even answer a ping after that is replaced.
//
// A tool that a provider would refuse, for an empty or absurd name or a broken schema, is a
// DescriptionError of the list. With LeaveOut it is left out and reported.
//
// # What is kept in bounds
//
// One message of a server holds no more memory than the limit, however long it is.
// Notifications are dropped where they come in, requests of the server (this client offers
// it nothing) are answered up to a number under way, and Close leaves no process of the
// server's group behind, and no goroutine.
package mcp
