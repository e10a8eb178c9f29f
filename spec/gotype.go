package spec

import "github.com/graphgen/graphgen/spec/diag"

// A GoGraph is what a graph that is written in Go says beyond YAML.
type GoGraph struct {
	Stem  string  // what the names of its generated files begin with; empty: the spec file's name
	State *GoType // the Go type that is the state; nil: one is declared for it

	// Names are what the package declares, to which generated names give way where they can.
	Names map[string]bool

	// Shadows are the declarations of the package that have a name of goname.Standard.
	Shadows []Shadow

	// Sources are what the generated code needs of its package to build elsewhere.
	Sources []GoSource

	// Help and Message write in Go what the help and the message of a diagnostic say in YAML.
	// They are nil for a graph in YAML.
	Help, Message func(string) string
}

// A Shadow is a declaration that leaves no room for an import of its name.
type Shadow struct {
	Name  string
	Pos   Pos    // its place, or the graph's where it is in another file
	Where string // it is declared, as file and line
}

// Refusal says that generated code needs the name for what it is.
func (s Shadow) Refusal(what string) diag.Diagnostic {
	return diag.Diagnostic{Code: "GG305", Pos: s.Pos, Message: s.Where + " declares " + s.Name + ", which generated code needs as " + what, Help: "rename it"}
}

// A GoSource is a part of a Go file: what follows the package clause.
type GoSource struct {
	Name string // of the file
	Text []byte
}

// A GoType is a type that the Go package a graph is compiled into declares itself. What the
// type lacks is generated beside it.
type GoType struct {
	Name      string
	Methods   []string // that it has, so that they are not generated
	Elsewhere bool     // another graph of the package generates what it lacks
	Hidden    bool     // of a struct: it has fields that the graph does not know
	Consts    []string // of an enum: its constants, in the order of its values
	Numbers   []string // of an enum of integers: the constants' values
	Text      bool     // of an enum: its underlying type is string
	Codec     uint8    // what the graphs of the package need of its codec, as a resolve.Codec
}
