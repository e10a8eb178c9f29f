package pipeline

import (
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
)

// attach adds media to the user's message, and returns its number.
func (p *Prompt) attach(value any) int { return attachTo(&p.Media)(value) }

// attachTo returns what adds media to a list.
func attachTo(list *[]chat.Media) codec.Attacher {
	return func(value any) int {
		m, ok := value.(chat.Media)
		if !ok {
			return 0
		}
		*list = append(*list, m)
		return len(*list)
	}
}

// attachedTo returns what finds media of a list by its number.
func attachedTo(list []chat.Media) func(int) any {
	return func(number int) any {
		if number < 1 || number > len(list) {
			return nil
		}
		return list[number-1]
	}
}
