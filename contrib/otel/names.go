package graphotel

import "go.opentelemetry.io/otel/attribute"

// The attributes that the conventions have no name for.
const (
	keyBranch     = attribute.Key("graphgen.branch")
	keyCost       = attribute.Key("graphgen.cost")
	keyDynamic    = attribute.Key("graphgen.node.dynamic")
	keyGraph      = attribute.Key("graphgen.graph.name")
	keyModelCalls = attribute.Key("graphgen.run.model_calls")
	keyCall       = attribute.Key("graphgen.model.call")
	keyNode       = attribute.Key("graphgen.node.name")
	keyKind       = attribute.Key("graphgen.node.kind")
	keyOutcome    = attribute.Key("graphgen.node.outcome")
	keyPrompt     = attribute.Key("graphgen.prompt.version")
	keyPurpose    = attribute.Key("graphgen.model.purpose")
	keyReason     = attribute.Key("graphgen.run.reason")
	keyRetry      = attribute.Key("graphgen.retry.attempt")
	keyRouteFrom  = attribute.Key("graphgen.route.from")
	keyRouteRule  = attribute.Key("graphgen.route.rule")
	keyRouteLabel = attribute.Key("graphgen.route.label")
	keyRun        = attribute.Key("graphgen.run.id")
	keyStep       = attribute.Key("graphgen.step")
	keySteps      = attribute.Key("graphgen.run.steps")
	keyToolCalls  = attribute.Key("graphgen.run.tool_calls")
	keyVisit      = attribute.Key("graphgen.visit")
	keyWait       = attribute.Key("graphgen.retry.wait")
	keyBudget     = attribute.Key("graphgen.budget")
	keyRefused    = attribute.Key("graphgen.mutation.refused")
)

// The events of spans.
const (
	eventBudget   = "graphgen.budget"
	eventCacheHit = "graphgen.cache_hit"
	eventFailed   = "graphgen.node_error"
	eventMutation = "graphgen.mutation"
	eventPause    = "graphgen.pause"
	eventReject   = "graphgen.route_rejected"
	eventRetry    = "graphgen.retry"
	eventReuse    = "graphgen.tool_reused"
	eventSkip     = "graphgen.skip"
)

// invokeNode is the operation of a step, as open proposals for the conventions call it. They allow
// operations besides those that they list.
const invokeNode = "invoke_node"

// other is the value of a label instead of one that the spec does not bound, as in the conventions.
const other = "_OTHER"
