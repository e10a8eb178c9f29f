package mcp_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/mcp"
)

// named is a tool that says its own name.
type named string

func (n named) Spec() chat.ToolSpec { return chat.ToolSpec{Name: string(n), Doc: "does", Schema: "{}"} }

func (n named) Call(context.Context, string) (chat.ToolResult, error) {
	return chat.ToolResult{Text: string(n)}, nil
}

func box(names ...string) chat.Toolbox {
	var tools chat.Tools
	for _, n := range names {
		tools = append(tools, named(n))
	}
	return tools
}

type broken struct{ err error }

func (b broken) Tools(context.Context) ([]chat.Tool, error) { return nil, b.err }

func TestNamesAreWhatModelsAccept(t *testing.T) {
	long := strings.Repeat("x", 70)
	cases := []struct{ name, prefix, tool, want string }{
		{"a prefix is before the name", "git", "log", "git_log"},
		{"what is no letter becomes an underscore", "my files", "read/text.file", "my_files_read_text_file"},
		{"a letter of another script, too", "", "żółw", "____w"},
		{"what is too long ends with a hash of all of it", "a", long, "a_" + strings.Repeat("x", 53) + "_43afd6bc"},
		{"and another has another", "a", long + "y", "a_" + strings.Repeat("x", 53) + "_a3f41bd3"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := names(t, mcp.Prefix(c.prefix, box(c.tool)))
			if len(got) != 1 || got[0] != c.want || len(got[0]) > 64 {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAPrefixedToolIsTheSameTool(t *testing.T) {
	tool := find(t, mcp.Prefix("a", box("b")), "a_b")
	if result, err := tool.Call(t.Context(), "{}"); result.Text != "b" || err != nil {
		t.Errorf("got %q, %v", result.Text, err)
	}
	if got := tool.Spec(); got.Doc != "does" || got.Schema != "{}" {
		t.Errorf("got %+v", got)
	}
}

func TestJoinKeepsTheOrder(t *testing.T) {
	got := names(t, mcp.Join(box("z", "y"), mcp.Prefix("p", box("y")), box("a")))
	if want := []string{"z", "y", "p_y", "a"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestDuplicateTool(t *testing.T) {
	cases := []struct {
		name string
		box  chat.Toolbox
		want mcp.NameError
	}{
		{"of two boxes", mcp.Join(box("a"), box("b", "a")), mcp.NameError{Name: "a", First: "a", Second: "a"}},
		{"behind their prefixes", mcp.Join(mcp.Prefix("a", box("b_c")), mcp.Prefix("a_b", box("c"))), mcp.NameError{Name: "a_b_c", First: "b_c", Second: "c"}},
		{"once they are adapted", mcp.Prefix("p", box("a.b", "a/b")), mcp.NameError{Name: "p_a_b", First: "a.b", Second: "a/b"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.box.Tools(t.Context())
			var got *mcp.NameError
			if !errors.As(err, &got) || *got != c.want {
				t.Errorf("got %v", err)
			}
		})
	}
	s := command(t)
	if _, err := call(t.Context(), t, s, "grow", `{"text":"raw/structured_only"}`); err != nil {
		t.Fatal(err)
	}
	for t.Context().Err() == nil { // until the notification is there
		_, err := s.Tools(t.Context())
		var got *mcp.NameError
		if errors.As(err, &got) {
			if got.First != "testserver: raw/structured.only" || got.Second != "testserver: raw/structured_only" {
				t.Errorf("got %v", got)
			}
			return
		}
	}
	t.Error("two tools of one server have one name")
}

func TestBoxFails(t *testing.T) {
	none := errors.New("none")
	for _, b := range []chat.Toolbox{mcp.Join(box("a"), broken{none}), mcp.Prefix("p", broken{none})} {
		if tools, err := b.Tools(t.Context()); err != none || tools != nil {
			t.Errorf("got %v, %v", tools, err)
		}
	}
}
