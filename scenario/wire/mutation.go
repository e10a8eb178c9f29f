package wire

// An Action is a mutation that an execution of a handler requests.
type Action struct {
	Action string `json:"action"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Most   int    `json:"most,omitempty"`
	Update Value  `json:"update,omitempty"` // fields of the state by their Go names; absent: not an update

	Name         string   `json:"name,omitempty"`
	Template     string   `json:"template,omitempty"`
	Kind         string   `json:"kind,omitempty"`
	Instructions string   `json:"instructions,omitempty"`
	Reads        []string `json:"reads,omitempty"`
	Writes       string   `json:"writes,omitempty"`
	Tools        []string `json:"tools,omitempty"`
	After        string   `json:"after,omitempty"`
	Next         string   `json:"next,omitempty"`
	MaxVisits    int      `json:"max_visits,omitempty"`
}

// A Mutation is a mutation that a run requested.
type Mutation struct {
	Text    string `json:"text"`
	Refused string `json:"refused,omitempty"` // why
}
