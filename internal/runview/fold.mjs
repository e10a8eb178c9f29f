// What a run adds up to: a pure fold over its events, which the page, its tests and any other reader share. No function here reads the
// clock or the document. An event is as AppendJSON of graphgen.Event writes it. What reports and threads have is made into such events, with
// the members written, count, ms, model_ms, tool_ms and usage besides.

/** start returns the sum of no events. Of nodes, by their paths, it may know in: for each input of the graph that one runs
  * the field of the state that it is, and of a map for the item the field with the list. */
export function start(nodes = {}) {
  return {
    nodes,
    steps: [], routes: { at: [], of: [] }, events: 0, begin: undefined, end: 0, status: 'running', graph: '', id: '', thread: '', requests: [], report: undefined, error: '',
    times: [], // of each event, in ms from the first, without the time of pauses
    marks: [], // of each event: the number of the step that begins, ends or asks there, from 1; 0: none does
    total: { model: 0, tool: 0, wait: 0, input: 0, output: 0, cost: 0, retries: 0, failures: 0 }, // of steps that have ended; of usage, retries and failures: of all
    calls: new Map(), // of models, by their numbers
    open: new Map(), // steps that have not ended, by their keys
    ended: new Map(), // the last step that has, by run and branch
    stacks: new Map(), // steps that have not ended, by run and branch
    parents: new Map(), // the step that runs a graph, by the run of that graph
    inner: new Map(), // the runs and branches within a step that has not ended
    spans: new Map(), states: new Map(), paused: undefined, shift: 0, last: 0,
    known: new Map(), // nodes, transitions and names of branches that steps share
    size: 0, // of an event, in bytes, on average
    held: 0, most: Infinity, oldest: 0, // bytes of events that details of steps are of, how many there may be, and the first step that may have some
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
export const keyOf = e => place(e) + '|' + e.step

const none = Object.freeze([])

/** A Step is one execution of a node. A run may have a million, so what most do not have is in more: spans, requests, values that were written. */
class Step {
  constructor(run, of, e, at, up, base) {
    this.index = run.steps.length
    this.of = of // what steps of a node share
    this.step = e.step
    this.visit = e.visit ?? 1
    this.branch = shared(run, 'branch', e.branch ?? '', name => name)
    this.at = at
    this.endAt = undefined
    this.status = 'active'
    this.parent = up
    this.depth = up ? up.depth + 1 : 0
    this.children = none
    this.via = -1 // the route that it ended with
    this.base = base // the state that it began with
    this.more = undefined // null: it was too much to keep
    this.row = 0
    run.steps.push(this)
    run.marks[at] = run.steps.length
  }
  get node() { return this.of.node }
  get kind() { return this.of.kind }
  get within() { return this.of.within }
  get graph() { return this.of.graph }
  get file() { return this.of.file }
  get line() { return this.of.line }
  get path() { return this.of.path }
  get from() { return this.more?.from ?? this.of.run.times[this.at] }
  get to() { return this.endAt === undefined ? undefined : this.of.run.times[this.endAt] }
  get spans() { return this.more?.spans ?? none }
  get asked() { return this.more?.asked ?? none }
  get notes() { return this.more?.notes ?? none }
  get written() { return this.more?.written ?? none }
  get tokens() { return this.more?.tokens ?? [0, 0] }
  get cost() { return this.more?.cost ?? 0 }
  get retries() { return this.more?.retries ?? 0 }
  get error() { return this.more?.error ?? '' }
  get text() { return this.more?.text ?? '' }
  get skipped() { return this.more?.skipped }
  get read() { return this.base && stateAt(this.base) }
  get before() { return this.more?.wrote && (this.more.wrote.up ? stateAt(this.more.wrote.up) : {}) }
  get after() { return this.more?.wrote && stateAt(this.more.wrote) }
  get route() { return this.via < 0 ? undefined : { ...this.of.run.routes.of[this.via], at: this.of.run.routes.at[this.via] } }
}

/** shared returns what the run has of a key, or makes it. */
function shared(run, kind, key, make) {
  const id = kind + '|' + key
  let v = run.known.get(id)
  if (v !== undefined) return v
  v = make(key)
  if (run.known.size < 100000) run.known.set(id, v)
  return v
}

/** more returns what a step has besides, which takes the room of an event more. */
function more(run, s) {
  s.more ??= { size: 0 }
  s.more.size += run.size
  run.held += run.size
  return s.more
}
const put = (run, s, list, x) => { (more(run, s)[list] ??= []).push(x) }

/** add adds the next event to the sum, and returns it. */
export function add(run, e) {
  const at = run.events++, ms = clock(run, e)
  run.times[at] = ms
  run.marks[at] = 0
  const key = keyOf(e)
  let s = run.open.get(key)
  switch (e.kind) {
  case 'run_start':
    if (e.within) {
      const by = innermost(run, outer(run, e.run), e.branch ?? '')
      run.parents.set(e.run, by)
      if (!e.written && by && !run.states.has(place(e))) given(run, place(e), undefined, by, v => v)
    } else {
      if (!run.id) run.resumedAt = e.resumed ? at : undefined
      Object.assign(run, { id: e.run ?? '', graph: e.graph ?? '', thread: e.thread ?? '', status: 'running', requests: [] })
      run.parents.set(e.run, null)
    }
    if (e.written) begins(run, e)
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
    more(run, s)
    Object.assign(x, { to: ms, endAt: at, model: e.model ?? x.model, tool: e.tool ?? x.tool, received: e.received, error: e.error ?? '' })
    if (e.model) usage(run, s, e.model.usage)
    break
  }
  case 'retry':
    s ??= begin(run, e, at, ms, key)
    put(run, s, 'spans', { kind: 'wait', at, endAt: at, from: ms, to: ms + (e.wait_ms ?? 0), attempt: e.attempt, error: e.error ?? '', text: '' })
    s.more.retries = s.retries + 1
    run.total.retries++
    break
  case 'interrupt':
    s ??= begin(run, e, at, ms, key)
    s.status = 'waiting'
    put(run, s, 'asked', { at, request: e.request ?? {}, ms })
    run.marks[at] = s.index + 1
    break
  case 'route': {
    if (e.written) begins(run, e)
    const of = { from: e.node ?? '', within: e.within ?? '', branch: e.branch ?? '', file: e.file, line: e.line, count: 1, ...e.route }
    run.routes.at.push(at)
    run.routes.of.push(shared(run, 'route', JSON.stringify(of), () => of))
    const by = e.node && of.rule !== 'branch' && (s ?? last(run, e))
    if (by && by.node === e.node) by.via = run.routes.at.length - 1
    break
  }
  case 'route_rejected': case 'progress': case 'cache_hit': case 'budget': case 'mutation': case 'say':
    if (s ??= last(run, e)) put(run, s, 'notes', { at, kind: e.kind, text: e.text ?? e.reason ?? '', error: e.error ?? '', payload: e.payload })
    break
  case 'run_end': ends(run, e, at)
  }
  run.end = Math.max(run.end, ms)
  if (run.held > run.most) release(run)
  return run
}

/** ends ends a run, or a child run. */
function ends(run, e, at) {
  if (e.within) {
    if (e.report?.reason !== 'interrupted') run.parents.delete(e.run)
    return
  }
  run.report = e.report
  run.error = e.error ?? ''
  run.requests = e.requests ?? []
  run.status = e.report?.reason ?? (e.error ? 'failed' : 'completed')
  if (run.status === 'interrupted') {
    run.paused = run.last
    return
  }
  for (const s of run.open.values()) { // the run ended around them
    Object.assign(s, { endAt: at, status: 'stopped' })
    count(run, s)
  }
  run.open.clear()
  run.stacks.clear()
  run.inner.clear()
}

/** last returns the step of an event that follows its end. */
function last(run, e) {
  const s = run.ended.get(place(e))
  return s?.step === e.step ? s : undefined
}

/** release gives up details of the first steps that have ended. They can be read again. */
function release(run) {
  for (; run.held > run.most && run.oldest < run.steps.length - 100; run.oldest++) {
    const s = run.steps[run.oldest]
    if (s.endAt === undefined) continue
    s.base = undefined
    if (!s.more) continue
    for (const x of s.spans) if (x.model?.call) run.calls.delete(x.model.call)
    if (s.more.wrote) Object.assign(s.more.wrote, { list: undefined, up: undefined })
    run.held -= s.more.size
    s.more = null
  }
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
  const up = innermost(run, e.run ?? '', e.branch ?? ''), within = e.within ?? '', node = e.node ?? ''
  const of = shared(run, 'node', [within, node, e.node_kind, e.graph, e.file, e.line].join('|'),
    () => ({ run, node, within, path: pathOf(within, node), kind: e.node_kind ?? '', graph: e.graph ?? '', file: e.file, line: e.line }))
  const where = place(e), s = new Step(run, of, e, at, up, stateOf(run, where, within, up, e.branch ?? ''))
  if (ms !== run.times[at]) more(run, s).from = ms
  if (up) {
    if (up.children === none) up.children = [s]
    else up.children.push(s)
    const within = run.inner.get(up)
    if (within) within.add(where)
    else run.inner.set(up, new Set([where]))
  }
  run.open.set(key, s)
  const stack = run.stacks.get(where)
  if (stack) stack.push(s)
  else run.stacks.set(where, [s])
  return s
}

/** finish ends a step. */
function finish(run, s, e, at, ms, key) {
  s.endAt = at
  s.status = e.kind === 'node_end' ? 'done' : 'failed'
  run.marks[at] = s.index + 1
  if (e.error || e.text || e.skipped) Object.assign(more(run, s), { error: e.error ?? '', text: e.text ?? '', skipped: e.skipped })
  if (e.usage) usage(run, s, e.usage)
  for (const kind of ['model', 'tool']) if (e[kind + '_ms']) put(run, s, 'spans', { kind, sum: true, at: s.at, endAt: at, from: s.from, to: s.from + e[kind + '_ms'], text: '', error: '' })
  const where = place(e)
  if (e.written) {
    const w = write(run, where, stateOf(run, where, s.within, s.parent, s.branch), e.written)
    Object.assign(more(run, s), { written: e.written, wrote: w })
  }
  count(run, s)
  run.open.delete(key)
  run.ended.set(where, s)
  const stack = run.stacks.get(where), k = stack?.lastIndexOf(s) ?? -1
  if (k >= 0) stack.splice(k, 1)
  if (!stack?.length) run.stacks.delete(where)
  for (const inner of run.inner.get(s) ?? []) if (inner !== where) run.states.delete(inner), run.ended.delete(inner) // the next time, they begin with the state of then
  run.inner.delete(s)
}

/** count adds a step that has ended to the totals. */
function count(run, s) {
  if (s.status === 'failed') run.total.failures++
  if (s.spans.length) for (const kind of ['model', 'tool', 'wait']) run.total[kind] += took(s, kind, run.end)
}

// A state is the last of a chain of what was written. A branch begins with the state of what runs it.

/** write adds what was written to the state at a place, which it returns. */
function write(run, where, up, list) {
  const w = { up, list }
  run.states.set(where, w)
  return w
}

/** stateOf returns the state at a place; of a branch that has changed nothing, that of the step that runs it, with its item. */
function stateOf(run, where, within, up, branch) {
  const state = run.states.get(where)
  if (state || !up || within !== up.within) return state
  return up.branch === branch ? up.base : given(run, where, up.base, up, list => list?.[branch.slice(branch.lastIndexOf('/') + 1)])
}

/** begins sets the values with which a run begins. */
const begins = (run, e) => write(run, place(e), run.states.get(place(e)), e.written)

/** given sets the values that a step gives the graph that it runs, or a branch, where events do not have them. It returns the state with them. */
function given(run, where, up, by, of) {
  const list = Object.entries(run.nodes[by.path]?.in ?? {}).map(([name, from]) => ({ name, value: of(valueAt(by.base, from)) })).filter(w => w.value !== undefined)
  return list.length ? write(run, where, up, list) : up
}

/** valueAt returns a field of a state; undefined: it was not written, or that is not kept. */
export function valueAt(state, name) {
  const parts = []
  for (let w = state; w; w = w.up) for (const x of (w.list ?? none).toReversed()) if (x.name === name) {
    if (!x.added || !Array.isArray(x.value)) return Array.isArray(x.value) && parts.length ? x.value.concat(...parts.reverse()) : parts.length ? [].concat(...parts.reverse()) : x.value
    parts.push(x.value)
  }
  return parts.length ? [].concat(...parts.reverse()) : undefined
}

/** stateAt returns all fields of a state. */
function stateAt(state) {
  const names = new Set(), list = []
  for (let w = state; w; w = w.up) list.push(w)
  for (const w of list.reverse()) for (const x of w.list ?? none) names.add(x.name)
  return Object.fromEntries([...names].map(n => [n, valueAt(state, n)]))
}

const spanKey = (e, key) => e.model ? 'model|' + (e.model.call ?? key) : 'tool|' + key + '|' + (e.tool?.by ?? '') + '|' + (e.tool?.id ?? e.tool?.name)

/** span adds a call of a model or a tool. */
function span(run, s, e, at, ms, key) {
  const x = { kind: e.model ? 'model' : 'tool', at, endAt: undefined, from: ms, to: undefined, model: e.model, tool: e.tool, text: '', error: '', sent: e.sent, received: undefined }
  put(run, s, 'spans', x)
  run.spans.set(spanKey(e, key), x)
  if (e.model?.call && e.sent) run.calls.set(e.model.call, e.sent)
  return x
}

function usage(run, s, u) {
  if (!u) return
  const to = more(run, s), t = run.total
  to.tokens = [s.tokens[0] + (u.input ?? 0), s.tokens[1] + (u.output ?? 0)]
  to.cost = s.cost + (u.cost ?? 0)
  t.input += u.input ?? 0
  t.output += u.output ?? 0
  t.cost += u.cost ?? 0
}

/** restore gives a step its details again, of parts of the events, each with the index of its first one. The first part has the begin of the step. */
export function restore(run, s, parts) {
  const one = start(), size = run.size, key = keyOf(parts[0].events[s.at - parts[0].first])
  let done = s.at - 1
  for (const { first, events } of parts) for (const [k, e] of events.entries()) {
    if (first + k <= done || keyOf(e) !== key || e.kind === 'route') continue
    one.events = done = first + k
    add(one, { ...e, ms: run.times[done] })
  }
  s.more = { ...one.steps[0]?.more, size, again: true }
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

const sorter = new Intl.Collator('en', { numeric: true })

/** order returns the steps as a tree in lines: below a step what it runs, branch by branch. */
export function order(run) {
  const rows = []
  const walk = list => {
    const groups = new Map()
    for (const s of list) groups.has(s.branch) ? groups.get(s.branch).push(s) : groups.set(s.branch, [s])
    const named = groups.size < 2 ? groups : [...groups].sort(([a], [b]) => sorter.compare(a, b)) // so in every run of a graph
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
  const all = new Map(), nodes = new Map(), taken = new Map(), edges = new Map()
  for (const s of run.steps) {
    if (s.at > at) break
    let n = all.get(s.of)
    if (!n) all.set(s.of, n = nodes.get(s.path) ?? { count: 0, failed: 0, active: 0, waiting: 0, state: '' }), nodes.set(s.path, n)
    const status = s.more || s.endAt === undefined ? statusAt(s, at) : s.endAt <= at ? s.status : 'active'
    n.count++
    if (status === 'failed') n.failed++
    if (status === 'active') n.active++
    if (status === 'waiting') n.waiting++
    n.state = n.waiting ? 'waiting' : n.active ? 'active' : n.failed ? 'failed' : status === 'stopped' ? 'stopped' : 'done'
  }
  const routes = run.routes
  for (let k = 0; k < routes.at.length && routes.at[k] <= at; k++) taken.set(routes.of[k], (taken.get(routes.of[k]) ?? 0) + 1)
  for (const [r, times] of taken) {
    const lost = r.rule === 'error' && !r.transition
    const key = r.transition ? pathOf(r.within, r.transition) : pathOf(r.within, r.from) + '/out'
    const e = edges.get(key) ?? { count: 0, lost: 0 }
    if (lost) e.lost += r.count * times
    else e.count += r.count * times
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
