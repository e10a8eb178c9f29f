package bounds

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/explore"
)

// A Path is the ways that a walk follows. It is as long as what is written of it: what is
// repeated is there once.
type Path []Segment

// A Segment is a way that a walk follows, and the visits that the node which it leads to makes of
// others; or it is legs that are repeated.
type Segment struct {
	Transition *explore.Transition
	Regions    *explore.PathCost // nil: none

	Repeated Path // in place of Way
	Times    int
}

// Segments lists the ways one after the other, none of them repeated.
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

// Names lists what is come to, one after the other.
func (p Path) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for l := range p.Segments() {
			if l.Transition.To == nil {
				if !yield(spec.End) {
					return
				}
				continue
			}
			if !yield(l.Transition.To.Name) {
				return
			}
			if l.Regions == nil {
				continue
			}
			for n := range l.Regions.Visits() {
				if !yield(n.Name) {
					return
				}
			}
		}
	}
}

// String writes what is come to, what is repeated once with the number of times:
// draft (critic draft)×3 publish.
func (p Path) String() string { return joined(newWriter().path(p)) }

// Compressed writes names one after the other, as a path is written.
func Compressed(names []string) string {
	words := make([]word, len(names))
	for i, name := range names {
		words[i] = word{name, 1, false}
	}
	return joined(words)
}

// A word is a name, or several in brackets, and how often it is repeated.
type word struct {
	text   string
	times  int
	joined bool // it is more than one name
}

// A writer makes words of paths. Courses that several share are written once.
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
			words = append(words, word{l.Transition.To.Name, 1, false})
			if l.Regions != nil {
				words = append(words, w.pathCost(l.Regions)...)
			}
		}
	}
	return words
}

// mostWords is how many words are written of what a node runs; the rest is left out.
const mostWords = 400

func (w *writer) pathCost(c *explore.PathCost) []word {
	if words, ok := w.known[c]; ok {
		return words
	}
	var words []word
	visit, parts, times := c.Parts()
	if visit != nil {
		words = []word{{visit.Name, 1, false}}
	}
	for _, part := range parts {
		words = append(words, w.pathCost(part)...)
	}
	if times > 1 {
		words = []word{grouped(words, times)}
	}
	if len(words) > mostWords {
		words = append(slices.Clip(words[:mostWords]), word{"…", 1, false})
	}
	w.known[c] = words
	return words
}

// mostText is how long the text in brackets may be.
const mostText = 4000

// grouped is words that are repeated.
func grouped(words []word, times int) word {
	words = compressed(words)
	if len(words) == 1 {
		words[0].times = product(words[0].times, times)
		return words[0]
	}
	text := spelled(words)
	if len(text) > mostText {
		text = strings.TrimSpace(strings.ToValidUTF8(text[:mostText], "")) + " …"
	}
	return word{text, times, true}
}

func joined(words []word) string { return spelled(compressed(words)) }

// spelled writes words.
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

// longestRepeat is how many words may be repeated as one.
const longestRepeat = 64

// compressed finds what is repeated among words.
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

// repeated returns how long the text is that words begin with and repeat, and how many times,
// such that the most words are saved; 1 and 1 where nothing is repeated.
func repeated(words []word) (length, times int) {
	length, times = 1, 1
	for l := 1; l <= min(longestRepeat, len(words)/2); l++ {
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
