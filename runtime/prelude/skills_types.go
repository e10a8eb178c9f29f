// Code generated from spec/prelude/skills.types.yaml by go test ./gen/golang -run TestPrelude -update. DO NOT EDIT.

package prelude

import ggrun "github.com/graphgen/graphgen/runtime/machine"

// Skills, nodes with instructions for work that many agents do.

// Where a fact is from.
type Source struct {
	// What the source is called, with its author or publisher.
	Title string
	// Where it is: a URL, or a file and a line.
	At string
	// When it was published, if that is known.
	Date *string
}

// What a search has brought to light.
type Research struct {
	// The answer, with a mark [n] behind each fact for the n-th source.
	Answer string
	// The sources in the order of their marks.
	Sources []Source
	// What was searched for and not found, each with the search.
	Missing []string
}

// A problem in code.
type CodeFinding struct {
	// The file and the line, or the function.
	Place string
	// blocker: wrong or unsafe. major: costs time later. minor: worth a change on the way.
	Severity CodeFindingSeverity
	// What goes wrong, and on which input.
	Problem string
	// The smallest change that mends it.
	Fix string
}

// What a review of code has found.
type CodeReview struct {
	// The problems with the worst first.
	Findings []CodeFinding
	// Whether the code can be merged as it is.
	Approved bool
	// What could not be judged, and what would be needed.
	Unseen []string
}

// What data show.
type Analysis struct {
	// One claim each, with the number, the unit, the size of the sample and how it was computed.
	Claims []string
	// What limits the claims.
	Caveats []string
	// Data that the question needs and that are not there.
	Missing []string
}

// A claim that was checked.
type Claim struct {
	// The claim, as the text has it.
	Claim string
	// supported and refuted need a source. Else the claim is unverified.
	Verdict ClaimVerdict
	// What the verdict rests on.
	Evidence string
	// Where the evidence is from.
	Sources []Source
}

// What a check of facts has found.
type FactCheck struct {
	// Every claim that can be true or false.
	Claims []Claim
	// Whether no claim is refuted and none that matters is unverified.
	Passes bool
}

// A shorter text.
type Summary struct {
	// The summary.
	Summary string
	// What the reader has to know, one sentence each.
	Points []string
	// What was left out and may matter to some readers.
	Omitted []string
}

// CodeFindingSeverity is the type of field severity of CodeFinding.
// The zero value is not set.
type CodeFindingSeverity uint8

// The values of CodeFindingSeverity.
const (
	CodeFindingSeverityBlocker CodeFindingSeverity = iota + 1
	CodeFindingSeverityMajor
	CodeFindingSeverityMinor
)

// String returns the value as the spec writes it, and nothing if it is not set.
func (v CodeFindingSeverity) String() string { return ggrun.NameOf(v, "blocker", "major", "minor") }

// ClaimVerdict is the type of field verdict of Claim.
// The zero value is not set.
type ClaimVerdict uint8

// The values of ClaimVerdict.
const (
	ClaimVerdictSupported ClaimVerdict = iota + 1
	ClaimVerdictRefuted
	ClaimVerdictUnverified
)

// String returns the value as the spec writes it, and nothing if it is not set.
func (v ClaimVerdict) String() string { return ggrun.NameOf(v, "supported", "refuted", "unverified") }
