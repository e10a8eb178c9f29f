package step

import (
	"context"
	"time"
)

// byHand is the loop a person would write, without any of the kernel's checks.
func byHand(ctx context.Context, h LoopHandlers, s *LoopState) error {
	at := LoopFetch
	for {
		switch at {
		case LoopFetch:
			out, err := h.Fetch(ctx, LoopFetchIn{Count: s.Count})
			if err != nil {
				return err
			}
			s.Count = out.Count
			at = LoopCheck
		case LoopCheck:
			out, err := h.Check(ctx, LoopCheckIn{Count: s.Count})
			if err != nil {
				return err
			}
			s.Count = out.Count
			at = LoopStore
		case LoopStore:
			out, err := h.Store(ctx, LoopStoreIn{Count: s.Count})
			if err != nil {
				return err
			}
			s.Count = out.Count
			if out.Count >= s.Goal {
				return nil
			}
			at = LoopFetch
		}
	}
}

// byHandChecked is byHand with the one check that a person would not leave out.
func byHandChecked(ctx context.Context, h LoopHandlers, s *LoopState) error {
	at := LoopFetch
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch at {
		case LoopFetch:
			out, err := h.Fetch(ctx, LoopFetchIn{Count: s.Count})
			if err != nil {
				return err
			}
			s.Count = out.Count
			at = LoopCheck
		case LoopCheck:
			out, err := h.Check(ctx, LoopCheckIn{Count: s.Count})
			if err != nil {
				return err
			}
			s.Count = out.Count
			at = LoopStore
		case LoopStore:
			out, err := h.Store(ctx, LoopStoreIn{Count: s.Count})
			if err != nil {
				return err
			}
			s.Count = out.Count
			if out.Count >= s.Goal {
				return nil
			}
			at = LoopFetch
		}
	}
}

// An event is what a loop by hand reports of a node.
type event struct {
	kind, node string
	count      int
	time       time.Time
}

// observed wraps handlers: it reports the start and the end of each node.
type observed struct {
	LoopHandlers
	observe func(event)
}

func (o observed) Fetch(ctx context.Context, in LoopFetchIn) (LoopFetchOut, error) {
	o.observe(event{"start", "fetch", in.Count, time.Now()})
	out, err := o.LoopHandlers.Fetch(ctx, in)
	o.observe(event{"end", "fetch", out.Count, time.Now()})
	return out, err
}

func (o observed) Check(ctx context.Context, in LoopCheckIn) (LoopCheckOut, error) {
	o.observe(event{"start", "check", in.Count, time.Now()})
	out, err := o.LoopHandlers.Check(ctx, in)
	o.observe(event{"end", "check", out.Count, time.Now()})
	return out, err
}

func (o observed) Store(ctx context.Context, in LoopStoreIn) (LoopStoreOut, error) {
	o.observe(event{"start", "store", in.Count, time.Now()})
	out, err := o.LoopHandlers.Store(ctx, in)
	o.observe(event{"end", "store", out.Count, time.Now()})
	return out, err
}

// byHandObserved is byHandChecked with events.
func byHandObserved(ctx context.Context, h LoopHandlers, s *LoopState) error {
	return byHandChecked(ctx, observed{h, func(event) {}}, s)
}
