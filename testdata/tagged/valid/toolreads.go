package toolreads

import "github.com/graphgen/graphgen/graph"

// tools and guards are given fields of the state that no model is shown.
//
//graphgen:graph toolreads entry=answer
//graphgen:set tools={refund: {doc: "Pay an order back.", args: {number: int}, reads: [tenant, customer]}, account: {doc: "Look at the account.", reads: [tenant], returns: "[]string"}, clock: {doc: "Tell the time."}}
type _ struct {
	Types struct {
		Reply struct {
			Text   string
			Number *int
		}
	}
	State struct {
		Tenant   string `graphgen:"private=true"`
		Customer string `graphgen:"private=true"`
		Question string
		Reply    *Reply
		Note     string `graphgen:"default=nothing"`
		One      int
	} `graphgen:"input=tenant, customer, question, one; output=reply, note"`

	//graphgen:set guards=[polite, {own_order: {reads: [tenant, customer]}}] guard_retries=1
	Answer graph.Prompt `graphgen:"instructions='Answer the customer.'; reads=question; output=Reply; writes=reply; tools=refund, account, clock; next=look"`

	Look graph.Tool `graphgen:"tool=refund; args={number: one}; writes=note; next=end"`
}
