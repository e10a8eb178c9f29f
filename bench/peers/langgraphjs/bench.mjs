// Bench measures graphs of LangGraph.js, written as its documentation shows them, for bench/report:
//
//	node bench.mjs NAME MILLISECONDS
//
// It runs a graph for so long after as much time of warming up, and prints a line as go test does. The work of the nodes is that of bench/ten,
// bench/fanout and bench/step.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph'

const chain = 10
const branches = 8
const steps = 300

const State = Annotation.Root({ count: Annotation })

function add({ count }) {
  if (count < 0) throw new Error('the count is negative')
  return { count: count + 1 }
}

// ten has ten nodes in a chain, each of which adds one to a count.
function ten() {
  let graph = new StateGraph(State)
  for (let i = 0; i < chain; i++) graph = graph.addNode(`n${i}`, add)
  graph = graph.addEdge(START, 'n0').addEdge(`n${chain - 1}`, END)
  for (let i = 1; i < chain; i++) graph = graph.addEdge(`n${i - 1}`, `n${i}`)
  return { app: graph.compile(), from: 5, want: 5 + chain, unit: 'ns/op', per: 1 }
}

// fanout has eight branches that do nothing.
function fanout() {
  let graph = new StateGraph(State)
  for (let i = 0; i < branches; i++) graph = graph.addNode(`b${i}`, () => ({})).addEdge(START, `b${i}`).addEdge(`b${i}`, END)
  return { app: graph.compile(), from: 1, want: 1, unit: 'ns/op', per: 1 }
}

// loop has three nodes in a loop, which one of them leaves by a condition.
function loop() {
  const app = new StateGraph(State).addNode('fetch', add).addNode('check', add).addNode('store', add)
    .addEdge(START, 'fetch').addEdge('fetch', 'check').addEdge('check', 'store')
    .addConditionalEdges('store', ({ count }) => (count >= steps ? END : 'fetch'), ['fetch', END])
    .compile()
  return { app, from: 0, want: steps, unit: 'ns/step', per: steps }
}

const graphs = { ten, fanout, loop }

async function once({ app, from, want }) {
  const { count } = await app.invoke({ count: from }, { recursionLimit: steps + 1 })
  if (count !== want) throw new Error(`the count is ${count}, want ${want}`)
}

async function repeat(graph, milliseconds) {
  const start = process.hrtime.bigint()
  let runs = 0
  let spent
  do {
    await once(graph)
    runs++
    spent = process.hrtime.bigint() - start
  } while (spent < BigInt(Math.round(milliseconds * 1e6)))
  return { runs, nanoseconds: Number(spent) / runs }
}

const [name, milliseconds] = process.argv.slice(2)
if (!(name in graphs) || !(milliseconds >= 0)) throw new Error('usage: node bench.mjs ' + Object.keys(graphs).join('|') + ' MILLISECONDS')
const graph = graphs[name]()
await repeat(graph, milliseconds)
const { runs, nanoseconds } = await repeat(graph, milliseconds)
console.log(`${name} ${runs} ${nanoseconds / graph.per} ${graph.unit}`)
