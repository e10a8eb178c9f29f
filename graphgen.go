// Package graphgen is what programs use of the machines that graphgen generates: the options of a run, its
// events and hooks, its report, its errors, what a handler can ask about its step, the answers of people,
// and changes of the graph of a run. It depends on neither YAML nor a vendor, and uses no reflection.
//
// Packages beside it are for people too: chat is the contract with models, thread with the stores of durable runs; hooks has options that watch
// runs, mutation has changes of graphs, prelude the types of the templates that come with graphgen. What generated code calls is in the
// folder runtime.
package graphgen
