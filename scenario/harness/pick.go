package harness

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/extract"
	"github.com/graphgen/graphgen/scenario/wire"
)

// pick returns the next node of a pool. It repeats an invalid choice when a repair is requested. A
// valid choice in the script must be one that was offered.
func (s *Script) pick(ctx context.Context, agent *wire.Agent, at place, t *strand, req *chat.Request) (*chat.Response, error) {
	member, offered, err := ballot(req)
	if err != nil {
		return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": " + err.Error())
	}
	e, index := t.current, t.index
	if t.answered == 0 {
		s.asked(at, offered, req)
	}
	if s.tape != nil {
		t.answered++
		played, err := s.tape.Model(nil).Generate(ctx, req, nil)
		t.picked = err == nil && picks(played.Message.Text, member, offered)
		return played, err
	}
	malformed, err := s.before(ctx, at, t, nil)
	if malformed != nil || err != nil {
		return malformed, err
	}
	c := e.Choose
	if c == nil {
		return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": the script has no choose, and the model is asked: " + strings.Join(offered, " / "))
	}
	s.use(entryKey{agent.Work, index, "choose"})
	if c.Error != nil {
		return nil, errorOf(*c.Error)
	}
	t.picked = slices.Contains(offered, c.Other)
	if !t.picked && c.Known {
		return nil,
			s.mistake("node " + strconv.Quote(agent.Work) + ": the model is to choose " + strconv.Quote(c.Answer) +
				", and is not offered it: " + strings.Join(offered, " / "))
	}
	return played("{"+quoteJSON(member)+":"+quoteJSON(c.Other)+"}", nil, usageOf(e.Usage), nil), nil
}

// picks reports whether an answer is one of the choices.
func picks(text, member string, offered []string) bool {
	return extract.JSON(text, extract.Object, func(object string) error {
		var answer map[string]string
		if err := json.Unmarshal([]byte(object), &answer); err != nil {
			return err
		}
		if !slices.Contains(offered, answer[member]) {
			return errors.New("no choice")
		}
		return nil
	}) == nil
}

// ballot parses the schema of a choice: an object with one member, which is an enum.
func ballot(req *chat.Request) (member string, offered []string, err error) {
	if req.Output == nil {
		return "", nil, errors.New("the model is asked for no choice")
	}
	var schema struct {
		Properties map[string]struct{ Enum []string }
	}
	if err := json.Unmarshal([]byte(req.Output.JSON), &schema); err != nil {
		return "", nil, err
	}
	for name, p := range schema.Properties {
		member, offered = name, p.Enum
	}
	if len(schema.Properties) != 1 || len(offered) == 0 {
		return "", nil, errors.New("the model is asked for no choice: " + req.Output.JSON)
	}
	return member, offered, nil
}
