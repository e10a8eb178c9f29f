package temporaltest

import (
	"context"
	"errors"
	"fmt"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// A Traveller has the handlers and tools of the graphs journey and stay. Note gets each of their effects.
type Traveller struct {
	Note func(ctx context.Context, effect string)
}

// Weather fails at the first attempt.
func (h *Traveller) Weather(ctx context.Context, _ JourneyWeatherIn) (JourneyWeatherOut, error) {
	h.Note(ctx, "weather")
	if graphgen.Info(ctx).Attempt == 1 {
		return JourneyWeatherOut{}, graphgen.Transient(errors.New("busy"))
	}
	return JourneyWeatherOut{Notes: []string{"sunny"}}, nil
}

// Write notes what the law demands.
func (h *Traveller) Write(ctx context.Context, in JourneyWriteIn) (JourneyWriteOut, error) {
	h.Note(ctx, "write")
	return JourneyWriteOut{Notes: []string{"lawful: " + in.Lawful}}, nil
}

// LookUp returns a distance.
func (h *Traveller) LookUp(ctx context.Context, _ JourneyLookUpArgs) (int, error) {
	h.Note(ctx, "look up")
	return 42, nil
}

// Offer returns a price.
func (h *Traveller) Offer(ctx context.Context, _ StayOfferIn) (StayOfferOut, error) {
	h.Note(ctx, "offer")
	return StayOfferOut{Price: 12}, nil
}

// Reserve returns a seat.
func (h *Traveller) Reserve(ctx context.Context, _ StayReserveIn) (StayReserveOut, error) {
	h.Note(ctx, "reserve")
	return StayReserveOut{Seat: "7a"}, nil
}

// Planner is a model that looks up a place in each conversation that a person begins.
func Planner(_ context.Context, r *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	used := chat.Usage{Input: 100 * len(r.Messages), Output: 7}
	if last := r.Messages[len(r.Messages)-1]; last.Role == chat.RoleUser {
		call := chat.ToolCall{ID: fmt.Sprint(len(r.Messages)), Name: "look_up", Arguments: `{"place":"Rome"}`}
		return &chat.Response{Finish: chat.ToolCalls, Usage: used, Message: chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{call}}}, nil
	}
	text := fmt.Sprintf("A plan of %d messages.", len(r.Messages))
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: text}, Finish: chat.Stop, Usage: used}, nil
}
