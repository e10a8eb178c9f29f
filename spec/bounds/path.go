package bounds

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
)

// A Path is the transitions of a walk. Repeated parts are stored once.
type Path []Segment

// A Segment is a transition of a walk with the visits of the regions of its target, or a repeated
// part of the walk.
type Segment struct {
	Transition *cfg.Transition
	Regions    *explore.PathCost // nil: none

	Repeated Path // instead of Transition
	Times    int
}

// Segments iterates over the segments, with repeated parts expanded.
func (p Path) Segments() iter.Seq[Segment] {
	return func(yield func(Segment) bool) { p.list(yield) }
}

func (p Path) list(yield func(Segment) bool) bool {
	for _, l := range p {
		if l.Transition != nil {
			if !yield(l) {
				return false
			}
			continue
		}
		for range l.Times {
			if !l.Repeated.list(yield) {
				return false
			}
		}
	}
	return true
}

// Names iterates over the names of the visited nodes.
func (p Path) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for l := range p.Segments() {
			if l.Transition.To == nil {
				if !yield(spec.End) {
					return
				}
				continue
			}
			if !yield(l.Transition.To.Name()) {
				return
			}
			if l.Regions == nil {
				continue
			}
			for n := range l.Regions.Visits() {
				if !yield(n.Name()) {
					return
				}
			}
		}
	}
}

// String returns the names of the visited nodes, repeated parts once with the number of times:
// draft (critic draft)×3 publish.
func (p Path) String() string { return joined(newWriter().path(p)) }

// Compressed returns names in the format of String.
func Compressed(names []string) string {
	words := make([]word, len(names))
	for i, name := range names {
		words[i] = word{name, 1, false}
	}
	return joined(words)
}

// A word is a name, or several in brackets, and the number of times that it repeats.
type word struct {
	text   string
	times  int
	joined bool // more than one name
}

// A writer converts paths to words. Shared paths are converted once.
type writer struct{ known map[*explore.PathCost][]word }

func newWriter() *writer { return &writer{map[*explore.PathCost][]word{}} }

func (w *writer) path(p Path) []word {
	var words []word
	for _, l := range p {
		switch {
		case l.Transition == nil:
			words = append(words, grouped(w.path(l.Repeated), l.Times))
		case l.Transition.To == nil:
			words = append(words, word{spec.End, 1, false})
		default:
			words = append(words, word{l.Transition.To.Name(), 1, false})
			if l.Regions != nil {
				words = append(words, w.pathCost(l.Regions)...)
			}
		}
	}
	return words
}

// maxWords is how many words are written for the regions of a node; the rest is left out.
const maxWords = 400

func (w *writer) pathCost(c *explore.PathCost) []word {
	if words, ok := w.known[c]; ok {
		return words
	}
	var words []word
	visit, parts, times := c.Parts()
	if visit != nil {
		words = []word{{visit.Name(), 1, false}}
	}
	for _, part := range parts {
		words = append(words, w.pathCost(part)...)
	}
	if times > 1 {
		words = []word{grouped(words, times)}
	}
	if len(words) > maxWords {
		words = append(slices.Clip(words[:maxWords]), word{"…", 1, false})
	}
	w.known[c] = words
	return words
}

// maxText is the longest text in brackets.
const maxText = 4000

// grouped returns the word of n repetitions of words.
func grouped(words []word, times int) word {
	words = compressed(words)
	if len(words) == 1 {
		words[0].times = product(words[0].times, times)
		return words[0]
	}
	text := spelled(words)
	if len(text) > maxText {
		text = strings.TrimSpace(strings.ToValidUTF8(text[:maxText], "")) + " …"
	}
	return word{text, times, true}
}

func joined(words []word) string { return spelled(compressed(words)) }

// spelled returns the text of words.
func spelled(words []word) string {
	var out []string
	for _, w := range words {
		switch {
		case w.joined && w.times > 1:
			out = append(out, fmt.Sprintf("(%s)×%d", w.text, w.times))
		case w.times > 2:
			out = append(out, fmt.Sprintf("%s×%d", w.text, w.times))
		case w.times == 2:
			out = append(out, w.text, w.text)
		default:
			out = append(out, w.text)
		}
	}
	return strings.Join(out, " ")
}

// maxRepeat is the most words that repeat as one.
const maxRepeat = 64

// compressed groups words that repeat.
func compressed(words []word) []word {
	var out []word
	for i := 0; i < len(words); {
		length, times := repeated(words[i:])
		next := words[i]
		if length > 1 {
			next = grouped(slices.Clone(words[i:i+length]), times)
		} else {
			next.times = product(next.times, times)
		}
		if last := len(out) - 1; last >= 0 && out[last].text == next.text {
			out[last].times = min(out[last].times+next.times, explore.Unbounded)
		} else {
			out = append(out, next)
		}
		i += length * times
	}
	return out
}

// repeated returns the length of the prefix that repeats, and the number of times, such that the
// most words are saved; 1 and 1 if nothing repeats.
func repeated(words []word) (length, times int) {
	length, times = 1, 1
	for l := 1; l <= min(maxRepeat, len(words)/2); l++ {
		n := 1
		for end := (n + 1) * l; end <= len(words) && slices.Equal(words[:l], words[end-l:end]); end += l {
			n++
		}
		if (n-1)*l > (times-1)*length && (n > 2 || l > 1) {
			length, times = l, n
		}
	}
	return length, times
}
