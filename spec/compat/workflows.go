package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/shape"
)

// A Moment is when a running workflow gets what a change is about: from then on its history may differ from a history of the newer machine.
type Moment uint8

const (
	Begun   Moment = iota // the workflow has begun
	Entered               // it has entered the node
	Left                  // it has left the node
	Reached               // it has used more than a limit allows
)

// A Break is a change by which running workflows of an older version may break: their engine refuses what the newer machine does. Workflows that have
// not reached it continue.
type Break struct {
	When    Moment
	Node    string   // of Entered and Left
	Limit   string   // of Reached
	Pos     spec.Pos // in the newer version; where something is missing, of what lacks it
	Message string
}

// Workflows compares two versions of a graph that another engine drives. It returns the changes that may break a workflow which the older version has
// begun and the newer one continues.
func Workflows(old, new *shape.Shape, title string) []Break {
	was, is := old.Commands, new.Commands
	if was == nil || is == nil {
		return nil
	}
	var list []Break
	begun := func(pos spec.Pos, format string, args ...any) {
		list = append(list, Break{When: Begun, Pos: pos, Message: fmt.Sprintf(format, args...)})
	}
	for _, c := range Between(old, new, title) {
		if slices.Contains(unread, c.Code) || c.OfStruct || c.Rename != nil && c.Rename.In != "" {
			begun(c.Pos, "%s", c.Message)
		}
	}
	if was.Begins != is.Begins {
		begun(new.Pos, "the entry or a setting of the graph differs from %s", title)
	}
	for _, name := range is.Input {
		if f := new.State.Field(name); !slices.Contains(was.Input, name) && f != nil && f.Spec.Default == nil && f.Type.Kind != resolve.Optional {
			begun(new.Pos, "the input has the field %q without a default, and the input of %s lacks it", name, title)
		}
	}
	for _, name := range was.Input {
		if !slices.Contains(is.Input, name) {
			begun(new.Pos, "the input of %s has the field %q, which is missing", title, name)
		}
	}
	for _, f := range old.State.Fields {
		if g := new.State.Field(f.Name); g != nil && initial(f.Spec) != initial(g.Spec) {
			begun(g.Spec.Name.Pos, "state field %q begins or merges differently than in %s", f.Name, title)
		}
	}
	for _, l := range is.Limits {
		i := slices.IndexFunc(was.Limits, func(o shape.Limit) bool { return o.Name == l.Name })
		if i < 0 || was.Limits[i].Most > l.Most {
			list = append(list, Break{When: Reached, Limit: l.Name, Pos: new.Pos, Message: fmt.Sprintf("the limit %s is lower than in %s", l.Name, title)})
		}
	}
	for _, n := range was.Nodes {
		switch now := is.Node(n.Name); {
		case now == nil:
			list = append(list, Break{When: Entered, Node: n.Name, Pos: new.Pos, Message: fmt.Sprintf("node %q of %s is missing", n.Name, title)})
		case !now.RunsAs(n):
			list = append(list, Break{When: Entered, Node: n.Name, Pos: now.Pos, Message: fmt.Sprintf("node %q does something else than in %s", n.Name, title)})
		case now.Leaves != n.Leaves:
			list = append(list, Break{When: Left, Node: n.Name, Pos: now.Pos, Message: fmt.Sprintf("node %q leads on differently than in %s", n.Name, title)})
		}
	}
	return list
}

// unread are the changes after which values in a history may not be read: a type, a value, a limit. So are fields and names within a struct or an enum.
var unread = []string{"GG331", "GG332", "GG333"}

// initial is what a state field begins with, and how branches merge it.
func initial(f *spec.Field) string {
	text := ""
	for _, s := range f.Settings() {
		if s.Key.Name == "default" || s.Key.Name == "keep" || s.Key.Name == "merge" && s.Text != "last" {
			text += s.Key.Name + " " + s.Text + "\n"
		}
	}
	return text
}

// A Progress is how far a workflow has come.
type Progress struct {
	Entered, Left []string // nodes
	Steps         int
}

// Breaks reports whether one of the changes may break a workflow that has come so far.
func (p *Progress) Breaks(list []Break) bool {
	return slices.ContainsFunc(list, func(b Break) bool {
		switch b.When {
		case Entered:
			return slices.Contains(p.Entered, b.Node)
		case Left:
			return slices.Contains(p.Left, b.Node)
		case Reached:
			return b.Limit != "max_steps" || p.Steps > 0
		}
		return true
	})
}

// Where returns the words for the workflows that the changes may break: "all", or the nodes.
func Where(list []Break) string {
	if len(list) == 0 {
		return "none"
	}
	var entered, left []string
	limits := false
	for _, b := range list {
		switch b.When {
		case Entered:
			entered = append(entered, b.Node)
		case Left:
			left = append(left, b.Node)
		case Reached:
			limits = true
		default:
			return "all"
		}
	}
	var parts []string
	if len(entered) > 0 {
		parts = append(parts, "those that have entered "+strings.Join(entered, ", "))
	}
	if len(left) > 0 {
		parts = append(parts, "those that have left "+strings.Join(left, ", "))
	}
	if limits {
		parts = append(parts, "those above a lower limit")
	}
	return strings.Join(parts, "; ")
}
