package harness

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/scenario/wire"
)

// A place is where something happens in a run: at a node, in a branch. The run itself is the branch
// without a name. The name of a node in a child run follows the names of the subgraph nodes around it.
type place struct{ node, branch string }

// placeOf returns the place of a context.
func placeOf(ctx context.Context) place {
	info := graphgen.Info(ctx)
	return place{wire.Join(info.Within, info.Node), info.Branch}
}

// callPlace returns the place of a handler's call. A transform has no context: its place is the place of
// its node, without the element of a map.
func (s *Script) callPlace(c *Call) place {
	if c.Context != nil {
		at := graphgen.Info(c.Context)
		return place{wire.Join(at.Within, c.Node), at.Branch} // a copy of a template uses the script of the template
	}
	path, _ := s.scenario.PathTo(c.Graph)
	node := wire.Join(path, c.Node)
	return place{node, s.scenario.PlaceOf(node).Branch}
}

// elements returns the numbers of the elements that a branch is for, outermost first.
func (s *Script) elements(at place) (numbers []int) {
	names := strings.Split(at.branch, "/")
	for i, level := range s.scenario.PlaceOf(at.node).Levels {
		if level.Index == wire.Element && i < len(names) {
			numbers = append(numbers, atoi(names[i]))
		}
	}
	return numbers
}

// key returns the position of a place in the order of the spec.
func (s *Script) key(at place) (key []rank) {
	names := strings.Split(at.branch, "/")
	for i, level := range s.scenario.PlaceOf(at.node).Levels {
		r := rank{level.Parent, level.Index}
		if r.number == wire.Element && i < len(names) {
			r.number = atoi(names[i])
		}
		key = append(key, r)
	}
	return key
}

// atoi parses the number of an element, which the kernel has written.
func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// A strand is the state of the script in one branch of a run.
type strand struct {
	work    string      // the node executed last
	current *wire.Entry // entry of that execution
	index   int         // index of that entry; -1: none
	noted   int         // index of that execution; -1: it is not recorded

	turn     turn
	made     string // the child run of the turn; empty: none
	answered int    // answers of the turn so far
	picked   bool   // the last answer was one of the choices
	ids      int
	due      []dueCall
}

// strand returns the strand of a branch. The lock is held.
func (s *Script) strand(branch string) *strand {
	t := s.strands[branch]
	if t == nil {
		t = &strand{current: &nothing, index: -1, noted: -1}
		s.strands[branch] = t
	}
	return t
}

// callID returns the ID of a tool call. It does not depend on other branches.
func (t *strand) callID(branch string) string {
	t.ids++
	if branch == "" {
		return "call-" + strconv.Itoa(t.ids)
	}
	return "call-" + branch + "-" + strconv.Itoa(t.ids)
}

// A rank is the place among the branches of a node: the number of the node in the spec, and the number of the branch.
type rank struct{ parent, number int }

// A placed thing happened in a branch.
type placed[T any] struct {
	value T
	key   []rank
}

func compareKeys(a, b []rank) int {
	return slices.CompareFunc(a, b, func(a, b rank) int {
		return cmp.Or(cmp.Compare(a.parent, b.parent), cmp.Compare(a.number, b.number))
	})
}

// inOrder sorts concurrent records in the order of the branches in the spec, so that they do not
// depend on the schedule.
func inOrder[T any](list []placed[T]) []T {
	group(list, 0)
	var values []T
	for _, p := range list {
		values = append(values, p.value)
	}
	return values
}

// group sorts what branches of one node did between two events outside of them.
func group[T any](list []placed[T], depth int) {
	for i := 0; i < len(list); {
		if len(list[i].key) <= depth {
			i++
			continue
		}
		end := i
		for end < len(list) && len(list[end].key) > depth && list[end].key[depth].parent == list[i].key[depth].parent {
			end++
		}
		slices.SortStableFunc(list[i:end], func(a, b placed[T]) int {
			return cmp.Compare(a.key[depth].number, b.key[depth].number)
		})
		for i < end {
			next := i
			for next < end && list[next].key[depth] == list[i].key[depth] {
				next++
			}
			group(list[i:next], depth+1)
			i = next
		}
	}
}

// question is the request to a model that judges edges or picks nodes.
type question struct {
	choices []string
	shown   string
}

// asked records a question.
func (s *Script) asked(at place, choices []string, req *chat.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.questions = append(s.questions, placed[question]{question{choices, promptText(req)}, s.key(at)})
}
