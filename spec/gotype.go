package spec

import "github.com/graphgen/graphgen/spec/diag"

// A GoGraph holds what only a graph in Go has.
type GoGraph struct {
	Stem  string  // prefix of its generated files; empty: the name of the spec file
	State *GoType // the Go type of the state; nil: it is generated

	// Names are the declarations of the package. Generated names avoid them where they can.
	Names map[string]bool

	// Shadows are the declarations of the package that have a name of goname.Standard or goname.WhereUsed.
	Shadows []Shadow

	// Sources are the declarations of the package that the generated code needs in order to build
	// elsewhere.
	Sources []GoSource

	// Help writes the suggestions of a help in Go. It is nil for a graph in YAML.
	Help func(diag.Help) diag.Help
}

// A Shadow is a declaration that prevents an import of the same name, or has the name of what Go itself declares.
type Shadow struct {
	Name  string
	Pos   Pos    // its position, or the graph's if it is in another file
	Where string // its file and line
}

// Refusal returns the diagnostic that generated code needs the name.
func (s Shadow) Refusal(what string) diag.Diagnostic {
	return diag.Diagnostic{Code: "GG305", Pos: s.Pos, Message: s.Where + " declares " + s.Name + ", which generated code needs as " + what, Help: "rename it"}
}

// A GoSource is a part of a Go file after the package clause.
type GoSource struct {
	Name string // of the file
	Text []byte
}

// A GoType is a type that the package of the graph declares. What it lacks is generated.
type GoType struct {
	Name      string
	Methods   []string // existing methods, which are not generated
	Elsewhere bool     // another graph of the package generates what it lacks
	Hidden    bool     // a struct with fields that the graph does not use
	Consts    []string // of an enum: its constants, in the order of its values
	Numbers   []string // of an enum of integers: the constants' values
	Text      bool     // an enum of strings
	Kind      string   // of an enum: its underlying type
	Codec     uint8    // the codecs that the graphs of the package need, as a resolve.Codec
}
