package picture

import (
	"fmt"
	"strings"

	"github.com/graphgen/graphgen/spec"
)

// A Theme is a set of colors.
type Theme uint8

const (
	Auto  Theme = iota // light, and dark where the reader's system is
	Light              // literal colors alone, for programs that read no style sheet
	Dark
)

// Themes are the themes by their names.
var Themes = map[string]Theme{"auto": Auto, "light": Light, "dark": Dark}

// A role is what a color is for: a row of palette.
type role uint8

const (
	ground role = iota
	card
	regionGround
	regionBorder
	ink
	muted
	lines
	failing
	code // of kinds
	model
	choice
	person
	tool
	judge
	graphs
	good // of marks
	attention
	numRoles
)

// palette has each role's class, and its color in light and in dark. A test holds the contrasts.
var palette = [numRoles]struct{ class, light, dark string }{
	ground:       {"ground", "#ffffff", "#0d1117"},
	card:         {"card", "#ffffff", "#161b22"},
	regionGround: {"region", "#f6f8fa", "#12171e"},
	regionBorder: {"border", "#848d97", "#6e7681"},
	ink:          {"ink", "#1b1f24", "#e6edf3"},
	muted:        {"muted", "#57606a", "#9198a1"},
	lines:        {"line", "#6e7781", "#8b949e"},
	failing:      {"failing", "#c62828", "#ff7b72"},
	code:         {"code", "#4b5563", "#b1bac4"},
	model:        {"model", "#6d4fc4", "#b9a3ff"},
	choice:       {"choice", "#0b6bcb", "#6cb6ff"},
	person:       {"person", "#a84e09", "#f0a35e"},
	tool:         {"tool", "#0f766e", "#5cc8b8"},
	judge:        {"judge", "#8a5a00", "#e3b341"},
	graphs:       {"graph", "#3949ab", "#a3b1ff"},
	good:         {"good", "#1a7f37", "#3fb950"},
	attention:    {"attention", "#8f6000", "#d29922"},
}

// workRoles are the roles of nodes by what does their work.
var workRoles = map[spec.By]role{spec.ByModel: model, spec.ByTool: tool, spec.ByPerson: person, spec.ByGraph: graphs, spec.ByNodes: muted}

// roleOf returns the color of a box.
func roleOf(b *Box) role {
	k := b.Kind
	switch {
	case k == nil:
		return muted
	case k.Judges:
		return judge
	case k.Chooses:
		return choice
	}
	if r, ok := workRoles[k.By]; ok {
		return r
	}
	return code
}

// color returns the literal color of a role.
func (t Theme) color(r role) string {
	if t == Dark {
		return palette[r].dark
	}
	return palette[r].light
}

// fill and stroke are the attributes of an element: a literal color, and the class by which a style sheet replaces it.
func (t Theme) fill(r role) string {
	return fmt.Sprintf(`class="f-%s" fill="%s"`, palette[r].class, t.color(r))
}

func (t Theme) stroke(r role) string {
	return fmt.Sprintf(`class="s-%s" fill="none" stroke="%s"`, palette[r].class, t.color(r))
}

func (t Theme) both(fill, stroke role) string {
	return fmt.Sprintf(`class="shape f-%s s-%s" fill="%s" stroke="%s"`, palette[fill].class, palette[stroke].class, t.color(fill), t.color(stroke))
}

// sheet returns the style sheet that makes a picture dark, under a selector.
func sheet(under string) string {
	var b strings.Builder
	for _, p := range palette {
		fmt.Fprintf(&b, "%s .f-%s{fill:%s}%s .s-%s{stroke:%s}", under, p.class, p.dark, under, p.class, p.dark)
	}
	return b.String()
}

// Sheet returns the style sheet of pictures in a page that has both themes, by the color-scheme of the page.
func Sheet() string {
	var b strings.Builder
	for _, p := range palette {
		both := fmt.Sprintf("light-dark(%s,%s)", p.light, p.dark)
		fmt.Fprintf(&b, ".graphgen .f-%s{fill:%s}.graphgen .s-%s{stroke:%s}", p.class, both, p.class, both)
	}
	return b.String()
}
