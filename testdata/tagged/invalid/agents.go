package news

import "github.com/graphgen/graphgen/graph"

//graphgen:graph news entry=draft
//graphgen:set tools={search: {doc: 'Search the web.', args: {query: string}, returns: []Hit}, idle: {args: {page: Page}}}
type _ struct {
	State struct {
		Topic string
	} `graphgen:"input=topic"`

	Draft graph.Prompt `graphgen:"instructions='About {{topic}}, not {{tpoic}}.'; tools=search,serch; evals={sure: {if: isSure}, odd: {if: isOdd}, bare: {if: isBare}}; -> fetch on=tool_call; -> end"`
	//graphgen:set instructions="As in {{mood}} and {{topic."
	Judge graph.Prompt
	Fetch graph.Tool `graphgen:"tool=search; args={qury: topic}; next=judge"`
}

// Hit is what a search finds.
type Hit struct {
	URL string `json:"url"`
}

// Page is a part of what a search finds.
type Page struct {
	Number int `graphgen:"min=1"`
}

func isSure(out string) bool { return out != "" }

func isOdd(out int) bool { return out%2 == 1 }
