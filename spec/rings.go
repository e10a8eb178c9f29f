package spec

import "strings"

// A Ring is who needs a key: the reference shows the keys of the first ring first.
type Ring uint8

// The rings.
const (
	First      Ring = iota // a first graph
	Production             // a graph that serves people
	Rest                   // some graphs
)

// Rings have a title, and what the keys of the ring are for.
var Rings = [...]struct{ Title, Doc string }{
	First:      {"What a first graph needs", "These keys are enough for an agent with tools and decisions."},
	Production: {"What production needs", "Bounds, failures, people, threads, and runs within runs."},
	Rest:       {"Everything else", "Keys for graphs that need them."},
}

// inner are the keys of the first two rings, by their mapping.
var inner = map[string][2]string{
	"graph": {"graph entry types state input output tools nodes edges", "doc limits on_error durable serve use mcp assert"},
	"node": {"kind reads writes output instructions message tools next routes max_visits",
		"doc body until max_iterations branches over item join graph in out timeout fail_soft guards guard_retries flags transitions history " +
			"approve on_deny on_timeout evals model pool"},
	"edge":           {"from to if", "on when priority max_iterations"},
	"branch edge":    {"", "from by branch"},
	"tool":           {"doc args", "returns reads approve client timeout max_result"},
	"limits":         {"", "max_steps max_visits timeout max_tokens max_cost max_model_calls max_tool_calls"},
	"enum":           {"enum", ""},
	"struct":         {"", "struct doc"},
	"field":          {"", "type doc min max max_length"},
	"state field":    {"", "type doc default merge private secret carry"},
	"retryable":      {"", "attempts wait"},
	"requires_human": {"", "question timeout"},
	"mcp server":     {"", "command url env bearer"},
	"eval":           {"", "called if judge"},
	"assertion":      {"", "that"},
}

// RingOf returns the ring of a key.
func RingOf(mapping, key string) Ring {
	for ring, keys := range inner[mapping] {
		for _, k := range strings.Fields(keys) {
			if k == key {
				return Ring(ring)
			}
		}
	}
	return Rest
}
