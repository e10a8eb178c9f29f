package pairwise

import (
	"strings"
)

// placing puts a value of a key where its mapping is in a spec.
func placing(mapping, key string, v value) func(*graph) {
	return func(g *graph) {
		switch mapping {
		case "graph":
			g.top[key] = v.text
		case "limits":
			g.section("limits")[key] = v.text
		case "mutations":
			g.placeMutations(key, v)
		case "node":
			g.placeNode(key, v)
		case "tool":
			g.section("find")[key] = v.text
			g.need(keys{"tools": "[find]"})
		case "requires_human":
			g.flags = append(g.flags, "{requires_human: {"+key+": "+v.text+"}}")
		case "retryable":
			g.flags = append(g.flags, "{retryable: {"+key+": "+v.text+"}}")
		case "mcp server":
			g.placeServer(key, v)
		case "state_summarizer":
			g.need(keys{"before": "[{state_summarizer: {" + key + ": " + v.text + "}}]"})
		case "json_extractor", "output_truncator":
			g.need(keys{"after": "[{" + mapping + ": {" + key + ": " + v.text + "}}]"})
		case "state_writer":
			g.need(keys{"after": "[{state_writer: {" + key + ": " + v.text + "}}]", "output": "{note: string, sum: int}"})
		case "edge":
			g.placeEdge(key, v)
		case "branch edge":
			g.noWay = true
			if key == "by" {
				g.edges = append(g.edges, "{from: $x, branch: {high: other, low: end}, by: "+v.text+"}")
				g.need(keys{"output": "Report$n"})
				return
			}
			g.edges = append(g.edges, "{from: $x, branch: {good: other, bad: end}, "+key+": "+v.text+"}")
			g.noWay = true
		case "loop_until":
			g.edges = append(g.edges, "{loop_until: {node: $x, exit: other, if: state.Count > 1, "+key+": "+v.text+"}}")
			g.noWay = true
		default:
			panic("pairwise: there is no place for " + mapping + "." + key)
		}
	}
}

func (g *graph) placeMutations(key string, v value) {
	s := g.section("mutations")
	s[key] = v.text
	if s["allow"] == "" {
		s["allow"] = "[add_node, skip_to, retry_with]"
	}
	if s["kinds"] == "" && strings.Contains(s["allow"], "add_node") {
		s["kinds"] = "[prompt]"
	}
	if s["update"] == "" && strings.Contains(s["allow"], "retry_with") {
		s["update"] = "[note, count]"
	}
	g.need(keys{"mutates": "true"})
}

func (g *graph) placeNode(key string, v value) {
	g.set(key, v)
	switch {
	case key == "tool_loop" && v.text == "false":
		g.edges = append(g.edges, "{from: $x, to: calls, on: tool_call}")
	case key == "until" && strings.Contains(v.text, "out."):
		g.child = "{reads: text, output: Report$n}"
	case key == "no_match" || strings.Contains(v.text, "next_step"):
		g.noWay = true
	case key == "transaction" && v.text == "true":
		g.top["durable"] = "true"
	case key == "mutates":
		g.section("mutations")["allow"] = "[add_node, skip_to, retry_with]"
		g.section("mutations")["kinds"] = "[prompt]"
		g.section("mutations")["update"] = "[note, count]"
	}
}

func (g *graph) placeServer(key string, v value) {
	server := keys{"command": "[files]"}
	if key == "url" || key == "bearer" {
		server = keys{"url": "https://mcp.example.com"}
	}
	server[key] = v.text
	g.section("mcp")["files"] = server.String()
	g.flags = append(g.flags, "inject_tools")
}

func (g *graph) placeEdge(key string, v value) {
	g.edges = append(g.edges, "{from: $x, to: other, if: state.Count > 1, "+key+": "+v.text+"}")
	if key == "on" || key == "on_confidence" {
		g.edges[len(g.edges)-1] = "{from: $x, to: other, " + key + ": " + v.text + "}"
	}
	switch {
	case key == "on_confidence":
		g.need(keys{"output": "Report$n"})
	case v.text == "guard_fail":
		g.need(keys{"writes": "note", "guards": "[sane]"})
	case v.text == "tool_call":
		g.edges[len(g.edges)-1] = "{from: $x, to: calls, on: tool_call}"
		g.need(keys{"tools": "[find]", "tool_loop": "false"})
	case v.text == "no_tool_call":
		g.edges = append(g.edges, "{from: $x, to: calls, on: tool_call}")
		g.need(keys{"tools": "[find]", "tool_loop": "false"})
	}
}

func (g *graph) placeFlag(name string) {
	g.flags = append(g.flags, name)
	switch name {
	case "entry":
		g.top["entry"] = "$x"
		g.edges = append(g.edges, "{from: other, to: start, max_iterations: 1}")
	case "validate_output", "inject_tools", "lightweight":
		g.need(keys{"output": "Report$n"})
	case "terminal":
		g.noWay = true
	case "skip_on_error":
		g.edges = append(g.edges, "{from: other, to: $x, on: error, max_iterations: 1}")
	}
}
