package durable

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/thread"
)

// isField reports whether a cell is a field of the state.
func isField(name string) bool {
	return !strings.HasPrefix(name, own) && !strings.HasPrefix(name, pipelines)
}

// text returns the value of a cell with a text, empty if nothing is saved of it.
func text(c *codec.Cells, name string) (s string) {
	if data := c.Value(name); data != nil {
		codec.Unmarshal(data, codec.Into(&s, codec.ReadString)) // the kernel has written it
	}
	return s
}

// listOf reads a list of texts.
func listOf(data []byte) (list []string) {
	if data != nil {
		codec.Unmarshal(data, codec.Into(&list, func(v *[]string, d *codec.Decoder) { codec.ReadList(v, d, codec.ReadString) }))
	}
	return list
}

// membersOf reads an object.
func membersOf(object []byte) (members map[string][]byte) {
	codec.Unmarshal(object, codec.Into(&members, func(v *map[string][]byte, d *codec.Decoder) { codec.ReadMap(v, d, codec.ReadAny[[]byte]) }))
	return members
}

func sortedNames(members map[string][]byte) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// position sets the node of a change, and what follows it, by what is saved of the run.
func position(c *thread.Change, is *codec.Cells) {
	c.Node = text(is, ".at")
	if over := text(is, ".to"); over != "" {
		c.Transition, c.Next, _ = strings.Cut(over, " ")
	} else if text(is, endedCell) != "" { // the last node is in the path alone
		path := listOf(is.Value(".path"))
		for _, transition := range slices.Backward(path) {
			from, to, leads := strings.Cut(transition, ">")
			to, _, _ = strings.Cut(to, "#")
			if leads && to != "end" {
				c.Node = to
				break
			}
			if c.Transition = transition; leads {
				c.Node = from
				break
			}
		}
	} else {
		c.Ended = c.Failed != ""
	}
	if c.Node == "end" {
		c.Node = ""
	}
	if c.Next == "end" {
		c.Next = ""
	}
}
