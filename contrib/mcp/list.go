package mcp

import (
	"context"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/graphgen/graphgen/chat"
)

// mostPages is how many pages a list of tools may have.
const mostPages = 1000

// described is a tool as its server describes it.
type described struct {
	name string // of the server
	spec chat.ToolSpec
}

// tools returns the server's tools: those that were listed before, while nothing changed.
func (s *session) tools(ctx context.Context) ([]described, error) {
	select {
	case s.listing <- struct{}{}:
		defer func() { <-s.listing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	capable := s.sdk.InitializeResult().Capabilities
	if capable == nil || capable.Tools == nil {
		return nil, nil
	}
	// A server that announces changes, but has no stream for that, is asked every time.
	heard := s.proc != nil || !capable.Tools.ListChanged || s.web.watching.Load() > 0
	if heard && !s.stale.Load() {
		return s.listed, nil
	}
	s.stale.Store(false) // before the list is read: a change meanwhile sets it again
	listed, err := s.pages(ctx)
	if err != nil {
		s.stale.Store(true)
		return nil, err
	}
	s.listed = listed
	return listed, nil
}

// pages fetches the list. All pages together may be as large as one answer.
func (s *session) pages(ctx context.Context) ([]described, error) {
	var all []described
	seen := map[string]bool{}
	size := 0
	for cursor := ""; ; {
		page, err := s.sdk.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		for _, t := range page.Tools {
			d, err := s.cfg.describe(t)
			if err != nil && s.cfg.leaveOut != nil {
				s.cfg.leaveOut(err)
				continue
			}
			if err != nil {
				return nil, err
			}
			if size += len(d.name) + len(d.spec.Doc) + len(d.spec.Schema); size > s.cfg.limit {
				return nil, &TooLargeError{Server: s.cfg.name, Limit: s.cfg.limit}
			}
			all = append(all, d)
		}
		if cursor = page.NextCursor; cursor == "" {
			return all, nil
		}
		if seen[cursor] || len(seen) == mostPages {
			return nil, &CallError{Server: s.cfg.name, Message: "the list of tools has no end after " + strconv.Itoa(len(seen)+1) + " pages"}
		}
		seen[cursor] = true
	}
}
