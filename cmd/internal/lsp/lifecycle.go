package lsp

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// clientCapabilities are the capabilities of the editor that the server asks for.
type clientCapabilities struct {
	Workspace struct {
		WorkspaceEdit struct {
			DocumentChanges bool `json:"documentChanges"`
		} `json:"workspaceEdit"`
	} `json:"workspace"`
	TextDocument struct {
		Completion struct {
			CompletionItem struct {
				SnippetSupport bool `json:"snippetSupport"`
			} `json:"completionItem"`
		} `json:"completion"`
	} `json:"textDocument"`
}

type initializeParams struct {
	RootURI          string             `json:"rootUri"`
	RootPath         string             `json:"rootPath"`
	Capabilities     clientCapabilities `json:"capabilities"`
	WorkspaceFolders []struct {
		URI string `json:"uri"`
	} `json:"workspaceFolders"`
}

// initialize begins a session. Paths are relative to the first folder that the editor names.
func initialize(_ context.Context, s *Server, p *initializeParams) (any, error) {
	if s.state != started {
		return nil, &fault{codeInvalidRequest, "the session has begun"}
	}
	root := pathOf(p.RootURI)
	if len(p.WorkspaceFolders) > 0 {
		root = pathOf(p.WorkspaceFolders[0].URI)
	}
	if root == "" {
		root = p.RootPath
	}
	if root != "" {
		if err := s.compiler.Enter(root); err != nil {
			return nil, failed("%v", err)
		}
	}
	s.state, s.client = initialized, p.Capabilities
	return map[string]any{
		"serverInfo":   map[string]string{"name": "graphgen", "version": s.compiler.Version()},
		"capabilities": capabilities(),
	}, nil
}

// capabilities are what the server does.
func capabilities() map[string]any {
	return map[string]any{
		"positionEncoding":           "utf-16",
		"textDocumentSync":           map[string]any{"openClose": true, "change": 2, "save": map[string]bool{"includeText": false}},
		"completionProvider":         map[string]any{"triggerCharacters": []string{".", "{", ":", " ", "-", "["}},
		"hoverProvider":              true,
		"documentSymbolProvider":     true,
		"foldingRangeProvider":       true,
		"definitionProvider":         true,
		"referencesProvider":         true,
		"documentHighlightProvider":  true,
		"codeActionProvider":         map[string]any{"codeActionKinds": []string{"quickfix"}},
		"renameProvider":             map[string]bool{"prepareProvider": true},
		"documentFormattingProvider": true,
		"codeLensProvider":           map[string]any{},
		"executeCommandProvider":     map[string]any{"commands": []string{commandTest, commandPicture}},
		"semanticTokensProvider":     map[string]any{"full": true, "legend": map[string]any{"tokenTypes": tokenTypes, "tokenModifiers": []string{}}},
	}
}

// pathOf returns the path of the file of a URI, "" without one.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	path := filepath.FromSlash(u.Path)
	if len(path) > 2 && path[2] == ':' && os.PathSeparator == '\\' { // \C:\folder
		path = path[1:]
	}
	return filepath.Clean(path)
}

// uriOf returns the URI of a file.
func uriOf(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	slashed := filepath.ToSlash(abs)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

// namedPath returns the path of a file as the command prints it: relative to the current folder.
func namedPath(abs string) string {
	here, err := os.Getwd()
	if err != nil {
		return abs
	}
	path, err := filepath.Rel(here, abs)
	if err != nil {
		return abs
	}
	return path
}
