// Package humantagged asks people in a graph that is a Go struct: before calls of tools, for the results of the caller's
// tools, before a node runs, and for a decision that is kept.
package humantagged

import (
	"time"

	"github.com/graphgen/graphgen/graph"
)

// A desk asks before it refunds, and not before it looks an order up.
//
//graphgen:graph desk entry=support max_steps=20 doc='A desk asks before it refunds, and not before it looks an order up.'
//graphgen:set tools={look_up: {doc: 'Looks an order up.', args: {order: string}, returns: string}, refund: {doc: 'Pays money back.', args: {order: string, amount: {type: int, min: 1, max: 100}}, returns: int}, delete_order: {doc: 'Deletes an order.', args: {order: string}, approve: true}, locate: {doc: 'Returns where the user is.', returns: Place, client: true, timeout: 1m}}
type _ struct {
	State struct {
		Question string
		Answer   string
		Signed   []Signed `graphgen:"merge=append"`
		Sent     bool     `graphgen:"default=false"`
	} `graphgen:"input=question; output=[answer, signed, sent]"`

	Support graph.Prompt `graphgen:"message='{{question}}'; tools=[look_up, refund, delete_order, locate]; approve=refund; approve_timeout=24h; writes=answer; -> sign"`
	Sign    graph.Human  `graphgen:"instructions='Shall {{answer}} be sent?'; record=signed; on_deny=end; -> send"`
	Send    graph.Func   `graphgen:"reads=answer; writes=sent; flags=requires_human; on_deny=end; -> end"`
}

// Place is where a user is.
type Place struct {
	City string `json:"city"`
}

// Signed is who decided what.
type Signed struct {
	Decision string    `json:"decision"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
}
