package bounds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/walk"
)

// A Leg is a way that a walk follows, and the visits that the node which it leads to makes of
// others, in the order of a run's path.
type Leg struct {
	Way    *walk.Way
	Inside []*walk.Node
}

// Names lists what is come to, one after the other.
func Names(path []Leg) []string {
	names := make([]string, 0, len(path))
	for _, l := range path {
		if l.Way.To == nil {
			names = append(names, spec.End)
			continue
		}
		names = append(names, l.Way.To.Name)
		for _, n := range l.Inside {
			names = append(names, n.Name)
		}
	}
	return names
}

// longestRepeat is how many names may be repeated as one.
const longestRepeat = 64

// Compressed writes names one after the other, those that are repeated once with the number
// of times: draft (critic draft)x3 publish.
func Compressed(names []string) string {
	var out []string
	for i := 0; i < len(names); {
		length, times := repeat(names[i:])
		switch {
		case times == 1:
			out = append(out, names[i])
		case length == 1:
			out = append(out, fmt.Sprintf("%s×%d", names[i], times))
		default:
			out = append(out, fmt.Sprintf("(%s)×%d", Compressed(names[i:i+length]), times))
		}
		i += length * times
	}
	return strings.Join(out, " ")
}

// repeat returns how long the text is that names begin with and repeat, and how many times,
// such that the most names are saved; 1 and 1 where nothing is repeated.
func repeat(names []string) (length, times int) {
	length, times = 1, 1
	for l := 1; l <= min(longestRepeat, len(names)/2); l++ {
		n := 1
		for end := (n + 1) * l; end <= len(names) && slices.Equal(names[:l], names[end-l:end]); end += l {
			n++
		}
		if (n-1)*l > (times-1)*length && (n > 2 || l > 1) {
			length, times = l, n
		}
	}
	return length, times
}
