// Package ten has a run of ten nodes, to be measured with all that it needs beside the same calls
// written by hand.
package ten

import (
	"context"
	"errors"
)

var errNegative = errors.New("the count is negative")

// Work counts up. Each of its methods calls add, which is kept from being inlined, as no handler
// that does anything is.
type Work struct{}

//go:noinline
func add(_ context.Context, count int) (int, error) {
	if count < 0 {
		return 0, errNegative
	}
	return count + 1, nil
}

func (Work) N0(ctx context.Context, in TenN0In) (out TenN0Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (Work) N1(ctx context.Context, in TenN1In) (out TenN1Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (Work) N2(ctx context.Context, in TenN2In) (out TenN2Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (Work) N3(ctx context.Context, in TenN3In) (out TenN3Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (Work) N4(ctx context.Context, in TenN4In) (out TenN4Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (Work) N5(ctx context.Context, in TenN5In) (out TenN5Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (Work) N6(ctx context.Context, in TenN6In) (out TenN6Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (Work) N7(ctx context.Context, in TenN7In) (out TenN7Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (Work) N8(ctx context.Context, in TenN8In) (out TenN8Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (Work) N9(ctx context.Context, in TenN9In) (out TenN9Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}
