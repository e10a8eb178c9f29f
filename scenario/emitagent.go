package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// pipelineImport is the package of what processors of the handlers are given.
var pipelineImport = resolve.Import{Path: modulePath + "/runtime/pipeline", Name: goname.Pipeline}

// writeTools writes the methods of a graph's tools: what they are given and what they
// return is handed to the script.
func writeTools(b *strings.Builder, m *plan.Machine, receiver string) {
	for _, t := range m.Methods() {
		params, call := "ctx context.Context", "Context: ctx, Name: "+strconv.Quote(t.Name)
		if t.In != nil {
			params, call = params+", in "+t.In.Go(), call+", In: &in"
		}
		if len(t.Args.Fields) > 0 {
			params, call = params+", args "+t.Args.Go(), call+", Arguments: &args"
		}
		fmt.Fprintf(b, "\nfunc (t %s) %s(%s) (out %s, err error) {\n", receiver, t.Method, params, t.Returns.Go())
		fmt.Fprintf(b, "\terr = t.Script.CallTool(harness.ToolCall{%s, Out: &out})\n\treturn out, err\n}\n", call)
	}
}

// writeProcessors writes the processors of the handlers: scenarios have none of their Go,
// and they change nothing.
func writeProcessors(b *strings.Builder, m *plan.Machine, receiver string) {
	seen := map[string]bool{}
	write := func(list []plan.Processor, param string) {
		for _, p := range list {
			if p.Method != "" && !seen[p.Method] {
				seen[p.Method] = true
				fmt.Fprintf(b, "\nfunc (h %s) %s(context.Context, *%s.%s) error { return nil }\n", receiver, p.Method, goname.Pipeline, param)
			}
		}
	}
	for _, p := range m.Prompts() {
		write(p.Before, "Prompt")
		write(p.After, "Answer")
	}
}

// agentImports are the packages that the tools and processors of a machine need.
func agentImports(m *plan.Machine) (imports []resolve.Import) {
	for _, t := range m.Models.Tools {
		imports = append(append(imports, t.Args.Imports()...), t.Returns.Imports()...)
	}
	for _, p := range m.Prompts() {
		for _, list := range [][]plan.Processor{p.Before, p.After} {
			for _, one := range list {
				if one.Method != "" {
					imports = append(imports, pipelineImport)
				}
			}
		}
	}
	return imports
}
