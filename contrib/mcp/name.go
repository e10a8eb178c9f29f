package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"

	"github.com/graphgen/graphgen/chat"
)

// maxName is how long the name of a tool may be for every provider.
const maxName = 64

// adapt makes of a name one that every provider accepts: letters, digits, _ and -, at most
// 64 of them, of which the first is a letter or _. One that is too long keeps its beginning, and gets a hash of the whole.
func adapt(name string) string {
	adapted := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if adapted == "" || adapted[0] == '-' || adapted[0] >= '0' && adapted[0] <= '9' {
		adapted = "_" + adapted
	}
	if len(adapted) <= maxName {
		return adapted
	}
	sum := sha256.Sum256([]byte(name))
	hash := hex.EncodeToString(sum[:4])
	return adapted[:maxName-len(hash)-1] + "_" + hash
}

// Prefix is the toolbox with every name after a prefix and an underscore.
func Prefix(prefix string, box chat.Toolbox) chat.Toolbox { return prefixed{prefix, box} }

type prefixed struct {
	prefix string
	box    chat.Toolbox
}

// Tools returns the tools of the box under their longer names.
func (p prefixed) Tools(ctx context.Context) ([]chat.Tool, error) {
	tools, err := p.box.Tools(ctx)
	if err != nil {
		return nil, err
	}
	renamed := make([]chat.Tool, len(tools))
	for i, t := range tools {
		spec := t.Spec()
		spec.Name = adapt(p.prefix + "_" + spec.Name)
		renamed[i] = &alias{t, spec}
	}
	if err := unique(renamed); err != nil {
		return nil, err
	}
	return renamed, nil
}

// An alias is a tool under another name.
type alias struct {
	chat.Tool
	spec chat.ToolSpec
}

// Spec returns the tool's description with the alias's name.
func (a *alias) Spec() chat.ToolSpec { return a.spec }

// origin returns the tool's name at its server.
func origin(t chat.Tool) string {
	switch t := t.(type) {
	case *alias:
		return origin(t.Tool)
	case *tool:
		return t.server.cfg.name + ": " + t.name
	}
	return t.Spec().Name
}

// Join is one toolbox of several, in their order. Two tools of one name are a NameError, and
// a box that has no answer is the error of all of them: a graph does not run with half of
// its tools.
func Join(boxes ...chat.Toolbox) chat.Toolbox { return joined(boxes) }

type joined []chat.Toolbox

// Tools asks all boxes concurrently.
func (j joined) Tools(ctx context.Context) ([]chat.Tool, error) {
	lists, errs := make([][]chat.Tool, len(j)), make([]error, len(j))
	var wg sync.WaitGroup
	for i, box := range j {
		wg.Go(func() { lists[i], errs[i] = box.Tools(ctx) })
	}
	wg.Wait()
	var all []chat.Tool
	for i, list := range lists {
		if errs[i] != nil {
			return nil, errs[i]
		}
		all = append(all, list...)
	}
	if err := unique(all); err != nil {
		return nil, err
	}
	return all, nil
}

// unique returns a NameError for the first name that is there twice.
func unique(tools []chat.Tool) error {
	first := make(map[string]chat.Tool, len(tools))
	for _, t := range tools {
		name := t.Spec().Name
		if other, taken := first[name]; taken {
			return &NameError{Name: name, First: origin(other), Second: origin(t)}
		}
		first[name] = t
	}
	return nil
}
