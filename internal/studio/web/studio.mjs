import { h, pill, pretty, runView, themes } from './view.mjs'
import { form, Wrong } from './form.mjs'

// The studio: the graphs of a server, their threads and runs. Every text of a server is the content of a text node, or the value of a field.

const $ = id => document.getElementById(id)
const api = 'api'
themes($('theme'))

/** A Problem is what a server has refused. */
class Problem extends Error {
  constructor(p) { super(p.detail ?? p.title ?? p.code); Object.assign(this, { code: p.code, field: p.field ?? '', status: p.status }) }
}
async function call(method, path, body, headers = {}) {
  const { signal } = place, init = { method, headers, signal }
  if (body !== undefined) init.body = JSON.stringify(body), init.headers['Content-Type'] = 'application/json'
  const r = await fetch(api + path, init)
  const json = /^application\/(problem\+)?json/.test(r.headers.get('Content-Type') ?? '')
  if (!r.ok) throw new Problem(json ? await r.json() : { code: 'http', detail: `The server answers ${r.status}.`, status: r.status })
  const result = json ? await r.json() : r
  signal.throwIfAborted() // the place that has asked is left
  return result
}
const get = path => call('GET', path), enc = encodeURIComponent

/** complain shows what is wrong. */
function complain(err) {
  if (err?.name === 'AbortError') return
  $('problem').textContent = err ? `${err.field ? err.field + ': ' : ''}${err.message}` : ''
}
/** act makes a button that does something, once at a time. */
function act(name, kind, does) {
  const b = h('button' + kind, { type: 'button', onclick: async () => {
    complain()
    b.disabled = true
    try { await does() } catch (err) { complain(err) } finally { b.disabled = false }
  } }, name)
  return b
}

// ---- places: #/, #/g/GRAPH, #/t/THREAD

let place = new AbortController()
async function go() {
  place.abort()
  place = new AbortController()
  const mine = place
  complain()
  for (const id of ['runs', 'act', 'main', 'where']) $(id).replaceChildren()
  document.body.className = 'list'
  const [, kind, name = ''] = /^#\/(?:([gt])\/(.*))?$/.exec(location.hash) ?? []
  try {
    if (kind === 'g') await graphPage(decodeURIComponent(name))
    else if (kind === 't') await threadPage(decodeURIComponent(name))
    else await home()
  } catch (err) {
    if (mine === place) complain(err)
  }
  if (mine === place) document.documentElement.dataset.ready = location.hash || '#/'
}
addEventListener('hashchange', go)
const path = (...parts) => $('where').replaceChildren(...parts.map(([text, to]) => h('a', { href: to }, text)))

// ---- home

async function home() {
  document.title = 'graphgen studio'
  const { graphs } = await get('/graphs')
  const list = h('div')
  $('main').append(h('h2', {}, 'graphs'), h('ul.cards', {}, graphs.map(g => h('li.card', {}, h('a', { href: '#/g/' + enc(g.name) }, h('b', {}, g.name)),
    h('p', {}, [g.durable ? 'runs are in threads' : 'runs are in no thread', !g.described && 'without serve: true, so without a picture and a form'].filter(Boolean).join('; '))))), list)
  if (graphs.some(g => g.durable)) await threads(list, {})
}

/** threads shows a page of threads in an element. */
async function threads(into, filter) {
  const query = new URLSearchParams({ limit: '50', ...filter })
  const page = await get('/threads?' + query)
  const status = h('select', { 'aria-label': 'status', onchange: () => threads(into, { ...filter, after: '', status: status.value }).catch(complain) },
    ['', 'running', 'paused', 'completed', 'failed', 'stopped'].map(s => h('option', { value: s, selected: s === filter.status }, s || 'any status')))
  into.replaceChildren(h('h2', {}, 'threads ', status), page.threads.length ? h('table', {}, h('thead', {}, h('tr', {}, ['thread', 'graph', 'status', 'since'].map(t => h('th', { scope: 'col' }, t)))),
    h('tbody', {}, page.threads.map(t => h('tr', {}, h('td', {}, h('a', { href: '#/t/' + enc(t.thread) }, t.thread)), h('td', {}, h('a', { href: '#/g/' + enc(t.graph) }, t.graph)),
      h('td', {}, pill(t.status)), h('td', {}, new Date(t.updated).toLocaleString('en-GB')))))) : h('p.mute', {}, 'There are none.'),
  ...page.next ? [act('further threads', '', () => threads(into, { ...filter, after: page.next }))] : [])
}

// ---- a graph

/** picture returns the picture of a graph, whose colors come from the style sheet. */
function picture(view) {
  if (!view?.picture) return h('p.mute', {}, 'The server gives no picture: its graph needs serve: true, and the server Details.')
  const svg = document.importNode(new DOMParser().parseFromString(view.picture.replace(/<style>[^<]*<\/style>/g, ''), 'image/svg+xml').documentElement, true)
  for (const s of svg.querySelectorAll('style, script, a, image, foreignObject')) s.localName === 'a' ? s.replaceWith(...s.childNodes) : s.remove()
  return svg
}

async function graphPage(name) {
  path(['graphs', '#/'], [name, '#/g/' + enc(name)])
  document.title = name + ' · studio'
  const g = await get('/graphs/' + enc(name)), list = h('div')
  const f = form(g.input ?? { type: 'object' }, 'input'), thread = h('input', { name: 'thread', placeholder: 'made up', autocomplete: 'off' })
  const start = act('start', '.main', async () => {
    let input
    try { input = f.value() } catch (err) {
      if (err instanceof Wrong && f.refuse(err.path, err.message)) return
      throw err
    }
    f.refuse('', '')
    try {
      if (g.durable) location.hash = '#/t/' + enc((await call('POST', `/graphs/${enc(name)}/threads`, { input, ...thread.value && { thread: thread.value } })).thread)
      else await plainRun(g, input)
    } catch (err) {
      if (!(err instanceof Problem) || !f.refuse(err.field.replace(/^input\.?/, ''), err.message)) throw err
    }
  })
  $('main').append(g.doc ? h('p', {}, g.doc) : '', h('div.graph', {}, h('section', { id: 'picture', 'aria-label': 'graph' }, picture(g.view)),
    h('section', {}, h('form', { onsubmit: ev => { ev.preventDefault(); start.click() } }, f.element, g.durable && h('label', {}, 'name of the thread', thread), h('.buttons', {}, start)), list)))
  if (g.durable) await threads(list, { graph: name })
}

// ---- a run

/** view shows the events of a run, and returns what takes further ones. */
function view(graph, name, events, note) {
  document.body.className = 'watching'
  $('main').replaceChildren(h('section', { id: 'picture', 'aria-label': 'graph' }, picture(graph.view)), $('parts').content.cloneNode(true))
  const nodes = {}
  for (const n of graph.view?.nodes ?? []) nodes[n.name] = { kind: n.kind, doc: n.doc }
  number(graph.view, events)
  const { signal } = place, shown = runView({ nodes, files: {}, runs: [{ name, note, events }] }, signal)
  let waiting = []
  return e => {
    waiting.push(e)
    if (waiting.length === 1) requestAnimationFrame(() => {
      const now = waiting
      waiting = []
      if (!signal.aborted) shown.push(now)
    })
  }
}
/** number gives the transitions of the graph, which threads name as in write>judge, their numbers. */
function number(view, events) {
  const numbers = new Map()
  for (const [k, t] of (view?.transitions ?? []).entries()) {
    const name = `${t.from ?? 'end'}>${t.to}`
    let n = 1
    while (numbers.has(n === 1 ? name : `${name}#${n}`)) n++
    numbers.set(n === 1 ? name : `${name}#${n}`, k + 1)
  }
  for (const { route, within } of events) if (route?.named && !within && numbers.has(route.named)) route.transition = numbers.get(route.named)
}

async function plainRun(g, input) {
  const r = await call('POST', `/graphs/${enc(g.name)}/runs`, { input }, { Accept: 'text/event-stream' })
  path(['graphs', '#/'], [g.name, '#/g/' + enc(g.name)], ['run', location.hash])
  const push = view(g, g.name, [], 'The graph is not durable: the run is gone when the page is left.')
  const reader = r.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const all = (rest + part.value).split('\n\n')
    rest = all.pop()
    for (const text of all) {
      const of = Object.fromEntries(text.split('\n').map(l => [l.slice(0, l.indexOf(':')), l.slice(l.indexOf(':') + 2)]))
      if (of.event === 'live') push(JSON.parse(of.data))
      if (of.event === 'problem') throw new Problem(JSON.parse(of.data))
      if (of.event === 'end') $('act').replaceChildren(outcome(JSON.parse(of.data)))
    }
  }
}
const outcome = end => h('.past', {}, h('.buttons', {}, pill(end.status), end.problem && h('span.wrong', {}, end.problem.detail ?? end.problem.code)), end.output && h('pre', {}, pretty(end.output)))

async function threadPage(name) {
  document.title = name + ' · studio'
  const at = '/threads/' + enc(name)
  const info = await get(at)
  path(['graphs', '#/'], [info.graph, '#/g/' + enc(info.graph)], [name, location.hash])
  const [g, run] = await Promise.all([get('/graphs/' + enc(info.graph)), get(at + '/run')])
  const push = view(g, name, run.events, 'A thread has what steps changed and the results of calls.')
  actions(name, info)
  follow(name, run.seq, push)
}

/** follow pushes what happens in a thread from now on. What a connection that ends has missed, the next one has. */
function follow(name, seq, push) {
  const source = new EventSource(`${api}/threads/${enc(name)}/events?after=${seq}&stay=1`), { signal } = place
  signal.addEventListener('abort', () => source.close())
  let busy = false, stale = false
  const refresh = async () => {
    stale = true
    if (busy || signal.aborted) return
    busy = true
    try {
      while (stale) {
        stale = false
        actions(name, await get('/threads/' + enc(name)))
      }
    } catch (err) { complain(err) } finally { busy = false }
  }
  source.addEventListener('live', ev => {
    const e = JSON.parse(ev.data)
    push(e)
    if (e.kind === 'run_start' || e.kind === 'run_end') setTimeout(refresh, 150) // the record of it is saved then
  })
  source.addEventListener('step', ev => {
    const s = JSON.parse(ev.data)
    if (s.paused || s.ended || s.run) setTimeout(refresh, 50)
  })
  source.addEventListener('reset', () => go())
}

/** actions shows what can be done with a thread. */
function actions(name, info) {
  const at = '/threads/' + enc(name), now = JSON.stringify(info)
  if ($('act').dataset.now === now && $('act').childNodes.length) return
  $('act').dataset.now = now
  const open = $('past')
  const again = async () => { $('act').dataset.now = ''; actions(name, await get(at)) }
  $('act').replaceChildren(h('.buttons', {}, pill(info.status), info.failure && h('span.wrong', {}, info.failure),
    info.status === 'running' && act('stop', '', async () => { await call('POST', at + '/stop'); await again() }),
    ['failed', 'stopped'].includes(info.status) && act('continue', '.main', async () => { await call('POST', at + '/recover'); await again() }),
    act('state and forks', '', () => past(name, info.seq)),
    ['completed', 'failed', 'stopped', 'paused'].includes(info.status) && act('delete', '.bad', async () => {
      if (!confirm(`Delete the thread ${name}?`)) return
      await call('DELETE', at)
      location.hash = '#/'
    })), ...(info.requests ?? []).map(q => ask(name, q, again)), ...open ? [open] : [])
}

/** ask is the form of a request. */
function ask(name, q, again) {
  const send = async answer => { await call('POST', `/threads/${enc(name)}/requests/${enc(q.id)}`, answer); await again() }
  const box = (...kids) => h('.ask', { 'data-request': q.id }, h('b', {}, q.question ?? (q.tool ? `call of ${q.tool}` : q.node ?? q.id)),
    (q.shown ?? []).map(s => h('label', {}, s.name, h('pre', {}, pretty(s.value ?? s.text ?? '')))), kids)
  const s = q.answer ?? {}
  if (s.const !== undefined) return box(h('.buttons', {}, act(String(s.const), '.main', () => send(s.const))))
  if (s.properties?.decision && q.tool) { // a call that is approved, or with other arguments
    const args = h('textarea.json', { rows: 4, 'aria-label': 'arguments', spellcheck: 'false' }), reason = h('input', { 'aria-label': 'reason', placeholder: 'reason' })
    const given = args.value = JSON.stringify(q.arguments ?? {}, null, 2)
    const decide = decision => async () => {
      const answer = { decision, ...reason.value && { reason: reason.value } }
      if (decision === 'approve' && args.value !== given) {
        try { answer.arguments = JSON.parse(args.value) } catch (err) { throw new Wrong('', `The arguments are not JSON: ${err.message}`) }
      }
      await send(answer)
    }
    return box(h('label', {}, `arguments of ${q.tool}`, args), reason, h('.buttons', {}, act('approve', '.main', decide('approve')), act('deny', '.bad', decide('deny'))))
  }
  const choices = s.enum ?? q.choices
  if (choices) return box(h('.buttons', {}, choices.map((c, k) => act(c, c === 'deny' ? '.bad' : k === 0 ? '.main' : '', () => send(c)))))
  if (s.oneOf?.length === 2 && s.oneOf[0].properties?.result) { // a call that the caller makes
    const result = form(s.oneOf[0], `result of ${q.tool}`), error = h('input', { 'aria-label': 'error', placeholder: 'error' })
    return box(h('pre', {}, pretty(q.arguments ?? {})), result.element, error, h('.buttons', {}, act('return', '.main', () => send(error.value ? { error: error.value } : result.value()))))
  }
  const f = form(s, '')
  return box(h('form', { onsubmit: ev => ev.preventDefault() }, f.element, h('.buttons', {}, act('answer', '.main', async () => {
    try { await send(f.value()) } catch (err) {
      if (!f.refuse((err.field ?? err.path ?? '').replace(/^answer\.?/, ''), err.message)) throw err
    }
  }))))
}

/** past shows the state after a record, and makes forks. */
async function past(name, seq) {
  const at = '/threads/' + enc(name), number = h('input', { type: 'number', min: 1, max: seq, value: seq, 'aria-label': 'record' })
  const state = h('pre', { tabindex: 0, 'aria-label': 'state' }), to = h('input', { 'aria-label': 'name of the fork', placeholder: 'name of the fork' })
  const set = h('textarea.json', { rows: 3, 'aria-label': 'fields to set', placeholder: '{"field": value} sets fields', spellcheck: 'false' })
  const load = async () => {
    const s = await get(`${at}/state?at=${number.value}`)
    state.textContent = s.runs.map(r => `${r.at ? r.at + '\n' : ''}${JSON.stringify(r.fields ?? {}, null, 2)}`).join('\n')
  }
  number.addEventListener('change', () => load().catch(complain))
  const box = h('.past', { id: 'past' }, h('.buttons', {}, h('label', {}, `state after record (of ${seq})`, number), act('close', '', () => box.remove())), state,
    set, h('.buttons', {}, to, act('fork here', '.main', async () => {
      let fields
      if (set.value.trim()) try { fields = JSON.parse(set.value) } catch (err) { throw new Wrong('', `The fields are not JSON: ${err.message}`) }
      await call('POST', at + '/fork', { to: to.value, at: Number(number.value), ...fields && { set: fields } })
      location.hash = '#/t/' + enc(to.value)
    })))
  $('past')?.remove()
  $('act').append(box)
  await load()
}

go()
