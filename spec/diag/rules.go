package diag

// A Rule documents a code: graphgen explain prints it, and a test holds its examples.
type Rule struct {
	Code string // "GG012"
	Name string // "unknown-key"
	Doc  string // what is wrong, and why it matters
	Bad  string // a spec that yields exactly this code
	Good string // the same spec without the mistake
}
