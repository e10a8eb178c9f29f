// What a run adds up to: a pure fold over its events, which the page, its tests and any other reader share. No function here reads the
// clock or the document. An event is as AppendJSON of graphgen.Event writes it. What reports and threads have is made into such events, with
// the members written, count, ms, model_ms, tool_ms and usage besides.

/** start returns the sum of no events. */
export function start() {
  return {
    steps: [], routes: [], events: 0, begin: undefined, end: 0, status: 'running', graph: '', id: '', thread: '', requests: [], report: undefined, error: '',
    times: [], // of each event, in ms from the first, without the time of pauses
    calls: new Map(), // of models, by their numbers
    open: new Map(), // steps that have not ended, by their keys
    stacks: new Map(), // the same, by run and branch
    parents: new Map(), // the step that runs a graph, by the run of that graph
    spans: new Map(), states: new Map(), paused: undefined, shift: 0, last: 0,
  }
}

/** fold adds events to the sum of none. */
export const fold = events => events.reduce(add, start())

/** moment returns a time in ms, with its fraction, which Date cuts off. */
export function moment(time) {
  const m = /^([^.Z+]+?)(\.\d+)?(Z|[+-]\d\d:\d\d)$/.exec(time)
  return m ? Date.parse(m[1] + m[3]) + 1000 * Number(m[2] ?? 0) : Date.parse(time)
}

/** pathOf returns the key of a node or a transition, with the nodes that run its graph, as in look/judge and look/3. */
export const pathOf = (within, name) => within ? within + '/' + name : String(name)

const place = e => (e.run ?? '') + '|' + (e.branch ?? '')

/** add adds the next event to the sum, and returns it. */
export function add(run, e) {
  const at = run.events++, ms = clock(run, e)
  run.times.push(ms)
  const key = place(e) + '|' + e.step
  let s = run.open.get(key)
  switch (e.kind) {
  case 'run_start':
    if (e.within) {
      run.parents.set(e.run, innermost(run, outer(run, e.run), e.branch ?? ''))
    } else {
      if (!run.id) run.resumedAt = e.resumed ? at : undefined
      Object.assign(run, { id: e.run ?? '', graph: e.graph ?? '', thread: e.thread ?? '', status: 'running', requests: [] })
      run.parents.set(e.run, null)
    }
    break
  case 'begin': begins(run, e); break
  case 'node_start':
    if (s && s.node === e.node) s.status = 'active' // it continues after a pause, or in another process
    else begin(run, e, at, ms, key)
    break
  case 'node_end': case 'node_error':
    s ??= begin(run, e, at, Math.max(0, ms - (e.took_ms ?? 0)), key)
    finish(run, s, e, at, ms, key)
    break
  case 'model_start': case 'tool_start':
    s ??= begin(run, e, at, ms, key)
    span(run, s, e, at, ms, key)
    break
  case 'token': {
    const x = run.spans.get('model|' + e.model?.call)
    if (x && e.text && !e.tool) x.text += e.text
    break
  }
  case 'model_end': case 'tool_end': {
    s ??= begin(run, e, at, ms, key)
    const id = spanKey(e, key), x = run.spans.get(id) ?? span(run, s, e, at, ms, key)
    run.spans.delete(id)
    Object.assign(x, { to: ms, endAt: at, model: e.model ?? x.model, tool: e.tool ?? x.tool, received: e.received, error: e.error ?? '' })
    if (e.model) usage(s, e.model.usage)
    break
  }
  case 'retry':
    s ??= begin(run, e, at, ms, key)
    s.retries++
    s.spans.push({ kind: 'wait', at, endAt: at, from: ms, to: ms + (e.wait_ms ?? 0), attempt: e.attempt, error: e.error ?? '', text: '' })
    break
  case 'interrupt':
    s ??= begin(run, e, at, ms, key)
    s.status = 'waiting'
    s.asked.push({ at, request: e.request ?? {}, ms })
    break
  case 'route': {
    if (e.written) begins(run, e)
    const r = { at, from: e.node ?? '', within: e.within ?? '', branch: e.branch ?? '', file: e.file, line: e.line, count: 1, ...e.route }
    run.routes.push(r)
    const by = e.node && r.rule !== 'branch' && (s ?? run.ended?.get(key))
    if (by && by.node === e.node) by.route = r
    break
  }
  case 'route_rejected': case 'progress': case 'cache_hit': case 'budget': case 'mutation': case 'say':
    if (s ??= run.ended?.get(key)) s.notes.push({ at, kind: e.kind, text: e.text ?? e.reason ?? '', error: e.error ?? '', payload: e.payload })
    break
  case 'run_end':
    if (e.within) break
    run.report = e.report
    run.error = e.error ?? ''
    run.requests = e.requests ?? []
    run.status = e.report?.reason ?? (e.error ? 'failed' : 'completed')
    if (run.status === 'interrupted') run.paused = run.last
    else for (const s of run.open.values()) Object.assign(s, { to: ms, endAt: at, status: 'stopped' }) // the run ended around them
    if (run.status !== 'interrupted') run.open.clear(), run.stacks.clear()
  }
  run.end = Math.max(run.end, ms)
  return run
}

/** clock returns the time of an event, from the first one. Time between a pause and what follows it is left out. */
function clock(run, e) {
  if (e.ms !== undefined) return e.ms
  const t = e.time ? moment(e.time) : run.last
  if (run.paused !== undefined) {
    run.shift += Math.max(0, t - run.paused)
    run.paused = undefined
  }
  run.last = Math.max(run.last, t)
  run.begin ??= t
  return Math.max(0, run.last - run.begin - run.shift)
}

/** outer returns the run within which a child run is: its ID begins with that of the other. */
function outer(run, id = '') {
  for (let end = id.length - 1; end > 0; end--) if (run.parents.has(id.slice(0, end))) return id.slice(0, end)
  return run.id
}

/** innermost returns the last step that is open at a place, or around it. */
function innermost(run, id, branch) {
  for (let at = branch; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const stack = run.stacks.get(id + '|' + at)
    if (stack?.length) return stack.at(-1)
    if (!at) return run.parents.get(id) ?? null
  }
}

/** begin adds a step. */
function begin(run, e, at, ms, key) {
  const branch = e.branch ?? '', up = innermost(run, e.run ?? '', branch)
  const s = {
    index: run.steps.length, key, node: e.node ?? '', kind: e.node_kind ?? '', step: e.step, visit: e.visit ?? 1, branch, within: e.within ?? '', graph: e.graph ?? '',
    file: e.file, line: e.line, at, endAt: undefined, from: ms, to: undefined, status: 'active', parent: up, children: [], depth: up ? up.depth + 1 : 0,
    spans: [], tokens: [0, 0], cost: 0, retries: 0, asked: [], notes: [], written: [], read: stateOf(run, e, up), before: undefined, after: undefined, error: '', text: '', record: undefined,
  }
  run.steps.push(s)
  if (up) up.children.push(s)
  run.open.set(key, s)
  const stack = run.stacks.get(place(e)) ?? []
  run.stacks.set(place(e), stack)
  stack.push(s)
  return s
}

/** finish ends a step. */
function finish(run, s, e, at, ms, key) {
  Object.assign(s, { to: ms, endAt: at, took: e.took_ms ?? ms - s.from, status: e.kind === 'node_end' ? 'done' : 'failed', error: e.error ?? '', text: e.text ?? '', record: e.record })
  if (e.skipped) s.skipped = true
  if (e.usage) usage(s, e.usage)
  for (const kind of ['model', 'tool']) if (e[kind + '_ms']) s.spans.push({ kind, sum: true, at: s.at, endAt: at, from: s.from, to: s.from + e[kind + '_ms'], text: '', error: '' })
  if (e.written) write(run, s, e)
  run.open.delete(key)
  run.ended ??= new Map()
  run.ended.set(key, s)
  const stack = run.stacks.get(place(e))
  const k = stack?.lastIndexOf(s) ?? -1
  if (k >= 0) stack.splice(k, 1)
}

/** write changes the state of a run. A branch begins with the state of what runs it. */
function write(run, s, e) {
  const before = stateOf(run, e, s.parent) ?? {}
  const after = { ...before }
  for (const w of e.written) after[w.name] = w.added && Array.isArray(before[w.name]) && Array.isArray(w.value) ? before[w.name].concat(w.value) : w.value
  run.states.set(place(e), after)
  Object.assign(s, { written: e.written, before, after })
}

/** stateOf returns the state at a place; of a branch that has changed nothing, that of the step that runs it. */
function stateOf(run, e, up) {
  return run.states.get(place(e)) ?? (up && !e.within === !up.within ? up.read : undefined)
}

/** begins sets the values with which a run begins. */
function begins(run, e) {
  const state = { ...run.states.get(place(e)) }
  for (const w of e.written) state[w.name] = w.value
  run.states.set(place(e), state)
}

const spanKey = (e, key) => e.model ? 'model|' + (e.model.call ?? key) : 'tool|' + key + '|' + (e.tool?.by ?? '') + '|' + (e.tool?.id ?? e.tool?.name)

/** span adds a call of a model or a tool. */
function span(run, s, e, at, ms, key) {
  const x = { kind: e.model ? 'model' : 'tool', at, endAt: undefined, from: ms, to: undefined, model: e.model, tool: e.tool, text: '', error: '', sent: e.sent, received: undefined }
  s.spans.push(x)
  run.spans.set(spanKey(e, key), x)
  if (e.model?.call && e.sent) run.calls.set(e.model.call, e.sent)
  return x
}

function usage(s, u) {
  if (!u) return
  s.tokens[0] += u.input ?? 0
  s.tokens[1] += u.output ?? 0
  s.cost += u.cost ?? 0
}

/** request returns what was sent to a model: settings, and all messages. Of the messages, same were in the call that it continues. */
export function request(run, sent) {
  if (!sent) return undefined
  const chain = [sent]
  for (let x = sent; x.continues && run.calls.has(x.continues) && chain.length < 10000;) chain.push(x = run.calls.get(x.continues))
  let messages = []
  for (const x of chain.toReversed()) messages = messages.slice(0, x.same ?? 0).concat(x.messages ?? [])
  return { ...chain.at(-1), messages, same: sent.same ?? 0, continues: sent.continues }
}

/** order returns the steps as a tree in lines: below a step what it runs, branch by branch. */
export function order(run) {
  const rows = []
  const walk = list => {
    const groups = new Map()
    for (const s of list) groups.has(s.branch) ? groups.get(s.branch).push(s) : groups.set(s.branch, [s])
    const named = [...groups].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })) // so in every run of a graph
    for (const [, group] of named) for (const s of group) {
      rows.push(s)
      if (s.children.length) walk(s.children)
    }
  }
  walk(run.steps.filter(s => !s.parent))
  return rows
}

/** took returns the time of a step that spans of a kind cover: calls at the same time count once. */
export function took(s, kind, end) {
  const all = s.spans.filter(x => x.kind === kind).map(x => [x.from, x.to ?? end]).sort((a, b) => a[0] - b[0])
  let sum = 0, until = -Infinity
  for (const [from, to] of all) if (to > until) sum += to - Math.max(from, until), until = to
  return sum
}

/** statusAt is how a step is after an event. */
export function statusAt(s, at) {
  if (s.at > at) return 'later'
  if (s.endAt <= at) return s.status
  return s.asked.some(a => a.at <= at) && s.status === 'waiting' || s.asked.at(-1)?.at <= at ? 'waiting' : 'active'
}

/** live is what the picture shows after the event with an index: nodes with their last state, and how often transitions were followed. A
  * transition has the key of its number; a line without one, from a node to the end of what it is in, has that of the node with /out. */
export function live(run, at) {
  const nodes = new Map(), edges = new Map()
  for (const s of run.steps) {
    if (s.at > at) break
    const key = pathOf(s.within, s.node), n = nodes.get(key) ?? { count: 0, failed: 0, active: 0, waiting: 0, state: '' }
    const status = statusAt(s, at)
    n.count++
    if (status === 'failed') n.failed++
    if (status === 'active') n.active++
    if (status === 'waiting') n.waiting++
    n.state = n.waiting ? 'waiting' : n.active ? 'active' : n.failed ? 'failed' : status === 'stopped' ? 'stopped' : 'done'
    nodes.set(key, n)
  }
  for (const r of run.routes) {
    if (r.at > at) break
    const lost = r.rule === 'error' && !r.transition
    const key = r.transition ? pathOf(r.within, r.transition) : pathOf(r.within, r.from) + '/out'
    const e = edges.get(key) ?? { count: 0, lost: 0 }
    if (lost) e.lost += r.count
    else e.count += r.count
    edges.set(key, e)
  }
  return { nodes, edges }
}

/** difference compares two runs, step by step at each place, and returns the first difference: its kind, and the steps; undefined: none. */
export function difference(a, b) {
  const places = run => {
    const list = new Map()
    for (const s of run.steps) {
      const id = s.within + '|' + s.branch
      list.has(id) ? list.get(id).push(s) : list.set(id, [s])
    }
    return list
  }
  const pa = places(a), pb = places(b)
  let first
  for (const id of new Set([...pa.keys(), ...pb.keys()])) {
    const x = pa.get(id) ?? [], y = pb.get(id) ?? []
    for (let k = 0; k < Math.max(x.length, y.length); k++) {
      const kind = !x[k] || !y[k] ? 'only one run has the step' : between(a, x[k], b, y[k])
      if (!kind) continue
      const when = Math.min(x[k]?.endAt ?? x[k]?.at ?? Infinity, y[k]?.endAt ?? y[k]?.at ?? Infinity)
      if (!first || when < first.when) first = { kind, a: x[k], b: y[k], when }
      break
    }
  }
  if (!first && a.status !== b.status) first = { kind: 'the end', a: a.steps.at(-1), b: b.steps.at(-1), when: Infinity }
  return first
}

/** between is what differs first between two steps; empty: nothing does. Times and identifiers are no differences. */
function between(a, x, b, y) {
  const same = (p, q) => JSON.stringify(p ?? null) === JSON.stringify(q ?? null)
  if (x.node !== y.node) return 'another node'
  const calls = s => s.spans.filter(c => c.kind !== 'wait' && !c.sum)
  const p = calls(x), q = calls(y)
  for (let k = 0; k < Math.min(p.length, q.length); k++) {
    if (p[k].kind !== q[k].kind) return `call ${k + 1}: a ${p[k].kind} and a ${q[k].kind}`
    if (p[k].kind === 'tool') {
      if (p[k].tool.name !== q[k].tool.name) return `call ${k + 1}: another tool`
      if (!same(p[k].tool.arguments, q[k].tool.arguments)) return `call ${k + 1}: other arguments`
      if (!same(p[k].tool.result, q[k].tool.result)) return `call ${k + 1}: another result`
    } else {
      const [r, s] = [request(a, p[k].sent), request(b, q[k].sent)]
      if (!same(r?.system, s?.system) || !same(r?.messages, s?.messages) || !same(r?.tools, s?.tools)) return `call ${k + 1}: another request`
      if (!same(p[k].received, q[k].received) || p[k].text !== q[k].text) return `call ${k + 1}: another answer`
    }
    if (!p[k].error !== !q[k].error) return `call ${k + 1}: a failure`
  }
  if (p.length !== q.length) return `${p.length} and ${q.length} calls`
  if (x.status !== y.status) return `${x.status} and ${y.status}`
  if (x.error !== y.error) return 'another error'
  if (!same(x.written, y.written)) return 'other values written'
  if ((x.route?.transition ?? x.route?.to) !== (y.route?.transition ?? y.route?.to)) return 'another transition'
  return ''
}
