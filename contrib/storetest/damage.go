package storetest

import (
	"github.com/graphgen/graphgen/thread"
)

// damages returns how the clause damages threads, and skips it if they cannot be.
func (e *env) damages() *Damage {
	e.Helper()
	if e.back.Damage == nil {
		e.Skip("nothing of the store can be lost")
	}
	return e.back.Damage
}

// moves is damages for a clause that moves the head.
func (e *env) moves() func(thread string, seq uint64) {
	e.Helper()
	d := e.damages()
	if d.Head == nil {
		e.Skip("the head is not apart from the records")
	}
	return d.Head
}

// damaged holds that a call finds damage after a record.
func (e *env) damaged(what string, err error, good uint64) {
	e.Helper()
	equal(e, what+": the last good record", fails[*thread.CorruptError](e, err).Good, good)
}

// refuses holds that neither a writer nor a reader of all gets a thread, and that its records through one are there.
func (e *env) refuses(name string, good uint64, want string) {
	e.Helper()
	for range 2 { // the first call leaves no lease
		_, _, err := e.s.Acquire(e.ctx, name, ttl)
		e.damaged("Acquire", err, good)
	}
	_, _, err := e.s.Load(e.ctx, name, 0)
	e.damaged("Load", err, good)
	_, err = e.s.History(e.ctx, name, 0, 0)
	e.damaged("History", err, good)
	_, err = e.s.History(e.ctx, name, good, 0)
	e.damaged("History after the last good record", err, good)
	if good > 0 {
		e.loads(name, good, want)
		e.ok(e.s.Copy(e.ctx, name, good, copyHead("copy", good)))
		e.loads("copy", 0, want)
	}
}

var damageClauses = []clause{
	{"finds that the last record is missing", func(e *env) {
		d := e.damages()
		e.write("a", "Sa", "b", "c", "d")
		d.Remove("a", 4, 4)
		e.refuses("a", 3, "1:Sa 2:b 3:c")
	}},
	{"finds that the last records are missing", func(e *env) {
		d := e.damages()
		e.write("a", "Sa", "b", "c", "Sd", "e")
		d.Remove("a", 3, 5)
		e.refuses("a", 2, "1:Sa 2:b")
	}},
	{"finds that all records are missing", func(e *env) {
		d := e.damages()
		e.write("a", "Sa", "b", "Sc")
		d.Remove("a", 1, 3)
		e.refuses("a", 0, "")
	}},
	{"finds that the last records of a thread that was pruned are missing", func(e *env) {
		d := e.damages()
		e.write("a", "Sa", "b", "Sc", "d", "e")
		e.prunes("a", 3, 2)
		d.Remove("a", 5, 5)
		e.refuses("a", 4, "3:Sc 4:d")
	}},
	{"finds that a record between two is missing", func(e *env) {
		d := e.damages()
		e.write("a", "Sa", "b", "c", "d")
		d.Remove("a", 3, 3)
		_, _, err := e.s.Load(e.ctx, "a", 0)
		e.damaged("Load", err, 2)
		for after := range uint64(3) {
			_, err := e.s.History(e.ctx, "a", after, 0)
			e.damaged("History", err, 2)
			_, err = e.s.History(e.ctx, "a", after, 3)
			e.damaged("History with a limit", err, 2)
		}
		e.loads("a", 2, "1:Sa 2:b")
	}},
	{"does not copy a log in which a record is missing", func(e *env) {
		d := e.damages()
		e.write("a", "Sa", "b", "Sc", "d")
		d.Remove("a", 2, 2)
		fails[*thread.CorruptError](e, e.s.Copy(e.ctx, "a", 4, copyHead("b", 4)))
		e.missing("b")
	}},
	{"finds that the first record is missing", func(e *env) {
		d := e.damages()
		e.write("a", "Sa", "b", "c")
		d.Remove("a", 1, 1)
		_, _, err := e.s.Load(e.ctx, "a", 0)
		fails[*thread.CorruptError](e, err)
		_, _, err = e.s.Load(e.ctx, "a", 2)
		fails[*thread.CorruptError](e, err)
		_, err = e.s.History(e.ctx, "a", 0, 0)
		fails[*thread.CorruptError](e, err)
	}},
	{"finds that a head was moved back", func(e *env) {
		move := e.moves()
		e.write("a", "Sa", "b", "c", "d")
		move("a", 2)
		e.refuses("a", 2, "1:Sa 2:b")
	}},
	{"finds that a head was moved on", func(e *env) {
		move := e.moves()
		e.write("a", "Sa", "b")
		move("a", 9)
		e.refuses("a", 2, "1:Sa 2:b")
	}},
	{"deletes a damaged thread, and no Sweep does", func(e *env) {
		d := e.damages()
		e.write("a", "Sa", "b")
		e.write("b", "Sx")
		d.Remove("a", 1, 2)
		e.sweeps(0)
		_, _, err := e.s.Acquire(e.ctx, "a", ttl)
		fails[*thread.CorruptError](e, err)
		e.ok(e.s.Delete(e.ctx, "a"))
		e.missing("a")
		e.write("a", "Sy")
		e.logs("a", "1:Sy")
		e.logs("b", "1:Sx")
	}},
}
