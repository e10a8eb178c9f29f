package durable

import (
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/internal/caught"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/thread"
)

// The records of a graph with secret fields have two parts: one is plain, the other is sealed. Sealed is what may have
// the value of a secret field: the field, what the run keeps beside the state, what effects gave, verdicts and failures. A graph
// within that has no secret field is sealed whole, as a model may have given it any value. Plain are the other fields,
// counters, places, and the IDs of requests.

// A sealing is how a log treats what is secret.
type sealing struct {
	seals bool          // what may have the value of a secret field is sealed
	by    thread.Sealer // nil: there are no keys
	blind bool          // what is sealed is left out of what is read
}

// sealing returns how the threads of the machine treat what is secret.
func (m *Machine) sealing(set *thread.Settings) sealing {
	return sealing{seals: m.Secret, by: set.Seal}
}

// A secretive is a generated run of a graph with secret fields.
type secretive interface{ Secrets() []string }

// hideAll makes all cells apart that may be secret, until a machine takes up the run.
func (s *saved) hideAll() {
	s.cells.Hide(func(name string) bool { return !strings.HasPrefix(name, own) || texts[name] })
}

// texts are the cells of the kernel that have texts of handlers and models.
var texts = map[string]bool{".run": true, ".failures": true, failedCell: true, overlayCell: true, changesCell: true}

// hide makes the cells of a run apart that are to be sealed.
func (l *log) hide(place string, s *saved, run any) {
	if !l.seals || s.hides {
		return
	}
	s.hides = true
	var fields map[string]bool
	if g, ok := run.(secretive); ok {
		fields = map[string]bool{}
		for _, name := range g.Secrets() {
			fields[name] = true
		}
	}
	s.secret = fields != nil
	all := !s.secret && l.isWithinSecret(place)
	s.cells.Hide(func(name string) bool {
		if strings.HasPrefix(name, own) {
			return texts[name]
		}
		return all || fields[name] || strings.HasPrefix(name, pipelines)
	})
}

// isWithinSecret reports whether a run is within one of a graph with secret fields.
func (l *log) isWithinSecret(place string) bool {
	for around, s := range l.runs {
		if s.secret && len(around) < len(place) && (around == "" || strings.HasPrefix(place, around+"/")) {
			return true
		}
	}
	return false
}

// A sealed is the part of a record or of a summary that is encrypted.
type sealed struct {
	key  string // the ID
	data []byte
}

func (v *sealed) JSONMembers(o *codec.Object) {
	o.String("key", &v.key)
	codec.Member(o, "data", &v.data, codec.ReadBytes, codec.WriteBytes)
}

// sealOf encrypts a value.
func sealOf(with thread.Sealer, v codec.Struct, about string) (_ *sealed, err error) {
	defer caught.Panic(&err)
	data, err := codec.MarshalStruct(v)
	if err != nil {
		return nil, err
	}
	key, encrypted, err := with.Seal(data, []byte(about))
	return &sealed{key, encrypted}, err
}

// open decrypts a value.
func (v *sealed) open(with thread.Sealer, into codec.Unmarshaler, about string) (err error) {
	defer caught.Panic(&err)
	if with == nil {
		return &thread.KeyError{Key: v.key}
	}
	data, err := with.Open(v.key, v.data, []byte(about))
	if err != nil {
		return err
	}
	return codec.Unmarshal(data, into)
}

func readSealed(v *sealed, d *codec.Decoder) { codec.ReadStruct(v, d, "what is sealed") }
func writeSealed(v sealed, e *codec.Encoder) { codec.WriteStruct(&v, e) }

// A secrets is the sealed part of a record.
type secrets struct {
	input    string
	earlier  []pastRun
	cells    []hiddenCells
	effects  []effect
	verdicts []verdict
	failure  string
}

// hiddenCells are the hidden cells of one of the runs of a record.
type hiddenCells struct {
	run   int // its number
	cells []byte
}

func (v *secrets) JSONMembers(o *codec.Object) {
	codec.SparseMember(o, "input", &v.input, codec.ReadString, codec.WriteString)
	codec.SparseListMember(o, "earlier", &v.earlier, structReader[pastRun]("an earlier run"), structWriter[pastRun])
	codec.SparseListMember(o, "cells", &v.cells, structReader[hiddenCells]("the cells of a run"), structWriter[hiddenCells])
	codec.SparseListMember(o, "effects", &v.effects, structReader[effect]("an effect"), structWriter[effect])
	codec.SparseListMember(o, "verdicts", &v.verdicts, structReader[verdict]("a verdict"), structWriter[verdict])
	codec.SparseMember(o, "failure", &v.failure, codec.ReadString, codec.WriteString)
}

func (v *hiddenCells) JSONMembers(o *codec.Object) {
	o.Int("run", &v.run)
	codec.Member(o, "cells", &v.cells, codec.ReadAny, writeCells)
}

// about is what a sealed part is bound to: the number of its record, and the record before.
func (v *record) about(seq uint64) string { return strconv.FormatUint(seq, 10) + " " + v.before }

// sealBy moves what is secret of a record into its sealed part.
func (v *record) sealBy(with thread.Sealer, seq uint64) (err error) {
	s := secrets{input: v.input, earlier: v.earlier, effects: v.effects, verdicts: v.verdicts, failure: v.failure}
	for n := range v.runs {
		if len(v.runs[n].hidden) > 0 {
			s.cells = append(s.cells, hiddenCells{n, v.runs[n].hidden})
		}
	}
	v.input, v.earlier, v.effects, v.verdicts, v.failure = "", nil, nil, nil, ""
	if len(s.cells)+len(s.earlier)+len(s.effects)+len(s.verdicts) > 0 || s.input+s.failure != "" {
		v.sealed, err = sealOf(with, &s, v.about(seq))
	}
	return err
}

// openBy is the reverse of sealBy.
func (v *record) openBy(with thread.Sealer, seq uint64) error {
	if v.sealed == nil {
		return nil
	}
	var s secrets
	if err := v.sealed.open(with, codec.Into(&s, structReader[secrets]("the sealed part")), v.about(seq)); err != nil {
		return err
	}
	v.input, v.earlier, v.effects, v.verdicts, v.failure = s.input, s.earlier, s.effects, s.verdicts, s.failure
	for _, of := range s.cells {
		if of.run < 0 || of.run >= len(v.runs) {
			return errChain
		}
		v.runs[of.run].hidden = of.cells
	}
	return nil
}
