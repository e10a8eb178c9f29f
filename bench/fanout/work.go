// Package fanout has eight branches that do nothing, to be measured beside the same with an errgroup written by hand.
package fanout

import "context"

// Idle does nothing. Its methods are kept from being inlined, as no handler that does
// anything is.
type Idle struct{}

//go:noinline
func (Idle) A(context.Context, FanAIn) error { return nil }

//go:noinline
func (Idle) B(context.Context, FanBIn) error { return nil }

//go:noinline
func (Idle) C(context.Context, FanCIn) error { return nil }

//go:noinline
func (Idle) D(context.Context, FanDIn) error { return nil }

//go:noinline
func (Idle) E(context.Context, FanEIn) error { return nil }

//go:noinline
func (Idle) F(context.Context, FanFIn) error { return nil }

//go:noinline
func (Idle) G(context.Context, FanGIn) error { return nil }

//go:noinline
func (Idle) H(context.Context, FanHIn) error { return nil }
