package errtree

import "time"

// Transient reports whether the first error of a tree with a method Transient is transient. One whose method Decides returns false is passed
// over: only some kinds of its type have an answer.
func Transient(err error) bool {
	var t transient
	return As(err, &t, func(err error) (ok bool) { t, ok = err.(transient); return ok && decides(err) }) && t.Transient()
}

// RetryAfter returns the wait that the first error of a tree with a method RetryAfter asks for, 0 if none does. It passes over the same errors as
// [Transient].
func RetryAfter(err error) time.Duration {
	var w waiting
	if As(err, &w, func(err error) (ok bool) { w, ok = err.(waiting); return ok && decides(err) }) {
		return w.RetryAfter()
	}
	return 0
}

// DecidesTransient reports whether a tree has an error that answers [Transient].
func DecidesTransient(err error) bool {
	var t transient
	return As(err, &t, func(err error) (ok bool) { t, ok = err.(transient); return ok && decides(err) })
}

// Permanent reports whether an error of a tree has a method Permanent that returns true: of several branches that failed, one is enough.
func Permanent(err error) bool {
	var p permanent
	return As(err, &p, func(err error) (ok bool) { p, ok = err.(permanent); return ok && p.Permanent() })
}

type permanent = interface {
	error
	Permanent() bool
}

type transient = interface {
	error
	Transient() bool
}

type waiting = interface {
	error
	RetryAfter() time.Duration
}

func decides(err error) bool {
	d, ok := err.(interface{ Decides() bool })
	return !ok || d.Decides()
}
