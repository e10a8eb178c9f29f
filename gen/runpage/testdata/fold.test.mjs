// Holds the fold to runs that were recorded: node fold.test.mjs FOLDER. It ends with status 1 and the first failure.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const folder = process.argv[2]
const { fold, start, add, order, live, request, took, statusAt, difference, valueAt } = await import(pathToFileURL(`${folder}/../../internal/runview/fold.mjs`))
const events = name => readFileSync(`${folder}/testdata/${name}.jsonl`, 'utf8').trim().split('\n').map(l => JSON.parse(l))
const run = name => fold(events(name))
const find = (r, node, visit = 1) => r.steps.find(s => s.node === node && s.visit === visit)

{ // a run with a tool loop, branches, retries and a failed branch
  const r = run('inquiry')
  assert.equal(r.status, 'completed')
  assert.equal(r.steps.length, 20)
  assert.equal(r.steps.filter(s => s.status === 'failed').length, 1)
  assert.equal(r.steps.reduce((n, s) => n + s.retries, 0), 2)
  const plan = find(r, 'plan')
  assert.deepEqual(plan.spans.map(x => x.kind), ['model', 'tool'])
  assert.equal(plan.spans[1].tool.by, plan.spans[0].model.call)
  assert.equal(plan.route.to, 'plan')
  const second = request(r, find(r, 'plan', 2).spans[0].sent)
  assert.ok(second.system.length > 0 && second.tools.length === 1, 'the settings are those of the first call')
  assert.equal(second.messages.length, 3)
  assert.equal(second.messages[1].role, 'assistant')
  const rows = order(r)
  assert.equal(rows.length, 20)
  assert.deepEqual(rows.filter(s => s.parent?.node === 'look').map(s => s.branch), ['0', '0', '1', '1', '1', '2', '2', '2', '3', '3'])
  const end = live(r, Infinity)
  assert.deepEqual([end.nodes.get('look_into').count, end.nodes.get('look_into').failed], [10, 1])
  assert.deepEqual(end.edges.get('look_into/out'), { count: 3, lost: 1 })
}
{ // a step has read what its graph was given, where events of the graph do not have it, and what was written before the step
  const at = { run: 'r/1.look', within: 'look' }, read = (s, name) => valueAt(s.base, name)
  const list = [
    { kind: 'run_start', run: 'r', graph: 'a', written: [{ name: 'text', value: 'x' }, { name: 'all', value: [1] }] },
    { kind: 'node_start', run: 'r', node: 'look', step: 1 }, { kind: 'run_start', ...at },
    { kind: 'node_start', ...at, node: 'judge', step: 1 }, { kind: 'node_end', ...at, node: 'judge', step: 1, written: [{ name: 'seen', value: [2], added: true }] },
    { kind: 'node_start', ...at, node: 'tell', step: 2 },
  ]
  const r = list.reduce(add, start({ look: { in: { topic: 'text', seen: 'all' } } }))
  const [judge, tell] = [find(r, 'judge'), find(r, 'tell')]
  assert.deepEqual([read(judge, 'topic'), read(judge, 'seen'), read(judge, 'text')], ['x', [1], undefined])
  assert.deepEqual([read(tell, 'topic'), read(tell, 'seen')], ['x', [1, 2]])
}
{ // the line of a failed branch to the join is not lit as done
  const end = live(run('polls.failed'), Infinity)
  assert.deepEqual(end.edges.get('poll1/out'), { count: 1, lost: 0 })
  assert.deepEqual(end.edges.get('poll2/out'), { count: 0, lost: 1 })
  assert.equal(end.nodes.get('polls').state, 'failed')
}
{ // a run that pauses, and the same run after its answer
  const paused = run('clerk.paused'), whole = run('clerk')
  assert.equal(paused.status, 'interrupted')
  assert.equal(paused.steps.at(-1).status, 'waiting')
  assert.equal(paused.steps.at(-1).asked[0].request.tool, 'refund')
  assert.equal(whole.status, 'completed')
  assert.equal(whole.steps.length, 3)
  assert.equal(whole.steps[1].status, 'done')
  const times = events('clerk').map(e => Date.parse(e.time))
  const later = events('clerk').map((e, k) => k < 16 ? e : { ...e, time: new Date(Date.parse(e.time) + 172800000).toISOString() })
  assert.ok(fold(later).end < times.at(-1) - times[0] + 100, 'two days of waiting are no time of the run')
  const asked = whole.steps[1].asked[0].at
  assert.equal(statusAt(whole.steps[1], asked), 'waiting')
  assert.equal(statusAt(whole.steps[1], asked - 1), 'active')
}
{ // child runs are below the node that runs their graph
  const r = run('survey')
  assert.equal(r.steps.length, 26)
  for (const s of r.steps.filter(s => s.within)) assert.equal(s.parent.node, s.within.split('/').at(-1))
  for (const s of r.steps.filter(s => s.within === 'ask')) assert.equal(s.parent.branch, s.branch)
  assert.equal(live(r, Infinity).edges.get('ask/3').count, 3)
}
{ // each event of each run: the state of before is part of the state after, and adding events one by one is the same
  for (const name of ['inquiry', 'polls.failed', 'clerk', 'survey']) {
    const all = events(name), r = start()
    let routes = 0
    all.forEach((e, at) => {
      add(r, e)
      const now = live(r, at)
      const n = [...now.edges.values()].reduce((n, e) => n + e.count + e.lost, 0)
      assert.ok(n >= routes)
      routes = n
    })
    assert.deepEqual(live(r, Infinity), live(fold(all), Infinity))
  }
}
{ // two runs: the first difference, and none
  const d = difference(run('polls.good'), run('polls.failed'))
  assert.equal(d.kind, 'done and failed')
  assert.equal(d.a.node, 'poll2')
  assert.equal(difference(run('inquiry'), run('inquiry')), undefined)
  const other = events('inquiry').map(e => e.kind === 'tool_end' && e.node === 'plan' ? { ...e, tool: { ...e.tool, result: 'x' } } : e)
  assert.deepEqual([difference(run('inquiry'), fold(other)).kind, difference(run('inquiry'), fold(other)).a.node], ['call 2: another result', 'plan'])
  const sent = events('inquiry').map(e => e.kind === 'model_start' && e.model.call === 1 ? { ...e, sent: { ...e.sent, system: 'x' } } : e)
  assert.equal(difference(run('inquiry'), fold(sent)).kind, 'call 1: another request')
}
{ // calls at the same time count once, and waiting is apart
  const r = fold([{ kind: 'run_start', run: 'r' }, { kind: 'node_start', run: 'r', node: 'a', step: 1, ms: 0 },
    { kind: 'tool_start', run: 'r', node: 'a', step: 1, ms: 0, tool: { id: '1', name: 't' } }, { kind: 'tool_start', run: 'r', node: 'a', step: 1, ms: 5, tool: { id: '2', name: 't' } },
    { kind: 'tool_end', run: 'r', node: 'a', step: 1, ms: 10, tool: { id: '1', name: 't' } }, { kind: 'tool_end', run: 'r', node: 'a', step: 1, ms: 15, tool: { id: '2', name: 't' } },
    { kind: 'retry', run: 'r', node: 'a', step: 1, ms: 15, wait_ms: 7 }, { kind: 'node_end', run: 'r', node: 'a', step: 1, ms: 30 }])
  assert.equal(took(r.steps[0], 'tool', r.end), 15)
  assert.equal(took(r.steps[0], 'wait', r.end), 7)
}
{ // what is written changes the state, and lists grow
  const w = (name, value, added) => ({ name, value, added })
  const r = fold([{ kind: 'run_start', run: 'r' }, { kind: 'begin', run: 'r', written: [w('l', [1])] }, { kind: 'node_start', run: 'r', node: 'a', step: 1 },
    { kind: 'node_end', run: 'r', node: 'a', step: 1, written: [w('l', [2], true)] }, { kind: 'node_start', run: 'r', node: 'b', step: 2 }, { kind: 'node_end', run: 'r', node: 'b', step: 2, written: [w('x', 'y')] }])
  assert.deepEqual([r.steps[0].before, r.steps[0].after, r.steps[1].after], [{ l: [1] }, { l: [1, 2] }, { l: [1, 2], x: 'y' }])
}
{ // what has not ended when the run ends is stopped; in a pause it waits or runs on
  const all = [{ kind: 'run_start', run: 'r' }, { kind: 'node_start', run: 'r', node: 'a', step: 1 }, { kind: 'run_end', run: 'r', report: { reason: 'max_steps' } }]
  assert.deepEqual([fold(all).steps[0].status, live(fold(all), 1).nodes.get('a').state, live(fold(all), 2).nodes.get('a').state], ['stopped', 'active', 'stopped'])
  all[2].report.reason = 'interrupted'
  assert.equal(fold(all).steps[0].status, 'active')
}
{ // a log that begins or ends in the middle of a run is no error
  for (const name of ['inquiry', 'survey', 'clerk']) {
    const all = events(name)
    for (let k = 0; k < all.length; k++) order(fold(all.slice(k))), order(fold(all.slice(0, k)))
  }
}
