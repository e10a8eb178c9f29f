package enums

import "github.com/graphgen/graphgen/graph"

//graphgen:graph enums entry=texts max_steps=20
type _ struct {
	State struct {
		Level Level
		Worst Severity
	} `graphgen:"output=level,worst"`

	// Texts covers one text of three.
	//
	//graphgen:edge -> numbers if out.Worst == Fatal
	Texts graph.Func `graphgen:"writes=worst"`

	// Numbers covers all but the least number, which comes last.
	//
	//graphgen:edge -> covered if out.Level >= Mid
	//graphgen:edge -> covered if out.Level == High
	Numbers graph.Func `graphgen:"writes=level"`

	// Covered looks at each value, in two ways.
	//
	//graphgen:edge -> end if out.Level > Low || out.Level == Low
	Covered graph.Func `graphgen:"writes=level; output=Levels; -> named"`

	// Named is always the same.
	//
	//graphgen:edge -> end if High > Mid && Severity("minor") == Minor
	Named graph.Func `graphgen:"-> end"`
}

type Levels struct{ Level Level }

type Level int

const (
	High Level = 3
	Mid  Level = 2
	Low  Level = 1
)

type Severity string

const (
	Minor Severity = "minor"
	Major Severity = "major"
	Fatal Severity = "fatal"
)
