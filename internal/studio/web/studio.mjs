import { gallery, h, picture, pill, pretty, runView, themes } from './view.mjs'
import { exactly, plain } from './exact.mjs'
import { form, jsonOf, Wrong } from './form.mjs'
import { specPage } from './module.mjs'
import { Lines, NoEvents, ThreadRun } from './source.mjs'

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
  const r = await fetch((path.startsWith('/module/') ? path.slice(1) : api + path), init)
  const json = /^application\/(problem\+)?json/.test(r.headers.get('Content-Type') ?? '')
  if (!r.ok) throw new Problem(json ? exactly(await r.text()) : { code: 'http', detail: `The server answers ${r.status}.`, status: r.status })
  const result = json ? exactly(await r.text()) : r
  signal.throwIfAborted() // the place that has asked is left
  return result
}
/** sized asks for what may be large, and returns the number of its bytes, too. */
async function sized(path) {
  const { signal } = place, r = await fetch(api + path, { signal }), text = await r.text()
  if (!r.ok) throw new Problem(exactly(text))
  return [exactly(text), text.length]
}
const get = path => call('GET', path), enc = encodeURIComponent
const ofModule = (method, path) => call(method, '/module' + path)

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

// ---- places: #/, #/g/GRAPH, #/s/SPEC, and of runs #/t/THREAD, #/r/RECORDING, #/f/FILE, #/c/RUN/RUN

let place = new AbortController()
async function go() {
  place.abort()
  place = new AbortController()
  const mine = place
  complain()
  for (const id of ['runs', 'act', 'main', 'where']) $(id).replaceChildren()
  document.body.className = 'list'
  const [, kind, ...names] = location.hash.split('/')
  try {
    const [name, other] = names.map(decodeURIComponent)
    if (kind === 'g') await graphPage(name)
    else if (kind === 's') await modulePage(name)
    else if (kind === 't') await threadPage(name)
    else if (kind === 'r' || kind === 'f') await recordingPage(`${kind}/${name}`)
    else if (kind === 'c') await comparePage(name, other)
    else await home()
  } catch (err) {
    if (mine === place) complain(err)
  }
  if (mine === place) document.documentElement.dataset.ready = location.hash || '#/'
}
addEventListener('hashchange', go)
const path = (...parts) => $('where').replaceChildren(...parts.map(([text, to]) => h('a', { href: to }, text)))

// ---- home

const files = new Map() // that were opened, by their names

async function home() {
  document.title = 'graphgen studio'
  const [{ graphs }, known] = await Promise.all([get('/graphs'), ofModule('GET', '/')]), list = h('div')
  const open = h('input', { type: 'file', onchange: () => {
    const [file] = open.files
    if (!file) return
    files.set(file.name, file)
    location.hash = '#/f/' + enc(file.name)
  } })
  const cards = (title, all) => all.length ? [h('h2', {}, title), h('ul.cards', {}, all)] : []
  $('main').append(...cards('graphs', graphs.map(g => h('li.card', {}, h('a', { href: '#/g/' + enc(g.name) }, h('b', {}, g.name)),
    h('p', {}, [g.durable ? 'runs are in threads' : 'runs are in no thread', !g.described && 'without serve: true, so without a picture and a form'].filter(Boolean).join('; '))))),
  ...cards('specs', (known.specs ?? []).map(s => h('li.card', {}, h('a', { href: '#/s/' + enc(s.of) }, h('b', {}, s.graph)),
    h('p', {}, s.of), h('p', {}, s.scenarios === 1 ? '1 scenario' : `${s.scenarios} scenarios`)))), list,
  h('h2', {}, 'recordings'), (known.recordings ?? []).length ? h('ul', {}, known.recordings.map(r => h('li', {}, h('a', { href: '#/r/' + enc(r) }, r)))) : '',
  h('label.file', {}, 'open a file: events as JSON lines, or a report as JSON', open))
  if (!known.specs) $('main').append(h('p.mute', {}, 'Scenarios and versions are shown by graphgen studio, where the specs are: this page is of a program.'))
  if (graphs.some(g => g.durable)) await threads(list, {})
}

async function modulePage(name) {
  path(['graphs', '#/'], [name, location.hash])
  document.title = name + ' · studio'
  specPage({ name, spec: await ofModule('GET', '/spec?of=' + enc(name)), ask: ofModule, act, into: $('main') })
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

const noPicture = () => h('p.mute', {}, 'There is no picture: a graph of a server needs serve: true, and the server Details.')

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
  const pane = h('section', { id: 'picture', 'aria-label': 'graph' })
  $('main').append(g.doc ? h('p', {}, g.doc) : '', h('div.graph', {}, pane,
    h('section', {}, h('form', { onsubmit: ev => { ev.preventDefault(); start.click() } }, f.element, g.durable && h('label', {}, 'name of the thread', thread), h('.buttons', {}, start)), list)))
  if (g.view?.picture) gallery(pane, picture(g.view.picture), g.view.graphs)
  else pane.append(noPicture())
  if (g.durable) await threads(list, { graph: name })
}

// ---- a run

/** show shows runs of a graph. It returns what takes a page of further events of the first, and what takes one live event. */
function show(graph, runs) {
  document.body.className = 'watching'
  $('main').replaceChildren(h('section', { id: 'picture', 'aria-label': 'graph' }, graph.view?.picture ? picture(graph.view.picture) : noPicture()), $('parts').content.cloneNode(true))
  const number = numbering(graph.view)
  for (const r of runs) number(r.events)
  const { signal } = place, shown = runView({ view: graph.view, files: graph.files ?? {}, runs }, signal)
  let waiting = []
  const push = (events, size) => {
    number(events)
    shown.push(events, size)
  }
  return {
    /** rest adds the pages that follow. */
    async rest(pages) {
      for await (const p of pages) push(p.events, p.size / p.events.length)
    },
    live(e) {
      waiting.push(e)
      if (waiting.length === 1) requestAnimationFrame(() => {
        const now = waiting
        waiting = []
        if (!signal.aborted) push(now)
      })
    },
  }
}
/** numbering gives the transitions of a graph, and of those that its nodes run, which threads name as in write>judge, their numbers. */
function numbering(view) {
  const at = new Map()
  const add = (path, transitions) => {
    const numbers = new Map()
    for (const [k, t] of (transitions ?? []).entries()) {
      const name = `${t.from ?? 'end'}>${t.to}`
      let n = 1
      while (numbers.has(n === 1 ? name : `${name}#${n}`)) n++
      numbers.set(n === 1 ? name : `${name}#${n}`, k + 1)
    }
    at.set(path, numbers)
  }
  add('', view?.transitions)
  for (const g of view?.graphs ?? []) for (const path of g.at) add(path, g.transitions)
  return events => {
    for (const { route, within } of events) if (route?.named) route.transition = at.get(within ?? '')?.get(route.named) ?? route.transition
  }
}

async function plainRun(g, input) {
  const r = await call('POST', `/graphs/${enc(g.name)}/runs`, { input }, { Accept: 'text/event-stream' })
  path(['graphs', '#/'], [g.name, '#/g/' + enc(g.name)], ['run', location.hash])
  const shown = show(g, [{ name: g.name, note: 'What steps change is shown of a machine with graphgen.WithExchanges. The graph is not durable: the run is gone when the page is left.', events: [] }])
  const reader = r.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const all = (rest + part.value).split('\n\n')
    rest = all.pop()
    for (const text of all) {
      const of = Object.fromEntries(text.split('\n').map(l => [l.slice(0, l.indexOf(':')), l.slice(l.indexOf(':') + 2)]))
      if (of.event === 'live') shown.live(exactly(of.data))
      if (of.event === 'problem') throw new Problem(exactly(of.data))
      if (of.event === 'end') $('act').replaceChildren(outcome(exactly(of.data)))
    }
  }
}
const outcome = end => h('.past', {}, h('.buttons', {}, pill(end.status), end.problem && h('span.wrong', {}, end.problem.detail ?? end.problem.code)), end.output && h('pre', {}, pretty(end.output)))

// ---- recordings

/** graphOf returns the graph of a name as the page shows it: of the module, or of the server. */
async function graphOf(name) {
  const { specs = [] } = await ofModule('GET', '/'), s = specs.find(s => s.graph === name)
  if (s) {
    const spec = await ofModule('GET', '/spec?of=' + enc(s.of))
    return { ...spec, graph: name, at: '#/s/' + enc(s.of) }
  }
  for (const g of (await get('/graphs')).graphs) {
    const of = await get('/graphs/' + enc(g.name))
    if (of.view?.graph === name || g.graph === name) return { ...of, at: '#/g/' + enc(g.name) }
  }
  throw new Error(`The run is of the graph ${name}, which the studio does not have.`)
}

/** bytes returns how parts of a recording are read. */
function bytes(ref) {
  const [kind, name] = [ref[0], ref.slice(2)], [file] = kind === 'r' && !name.startsWith('file:') ? name.split('#') : [name]
  if (kind === 'f') {
    const of = files.get(name)
    if (!of) throw new Error(`The page has been loaded again: open the file ${name} again.`)
    return { of, file, part: async (from, to) => of.slice(from, to).stream() }
  }
  const { signal } = place
  return { file, part: async (from, to) => {
    const r = await fetch('module/recording?of=' + enc(name), { signal, headers: from || to ? { Range: `bytes=${from}-${to === undefined ? '' : to - 1}` } : {} })
    if (!r.ok) throw new Problem(await r.json())
    return r.body
  } }
}

const threadNote = 'A thread has what steps changed and the results of calls.'

/** FIRST is how many events a page begins with. LONGEST is how many events runs may have that are compared. */
const FIRST = 20000, LONGEST = 300000

/** begin reads a run up to a number of events. Of what has more, pages gives the rest. */
async function begin(run, source, most) {
  const pages = source.pages()
  let size = 0
  Object.assign(run, { events: [], source, again: source.again.bind(source), pages: [] })
  for (let p = await pages.next(); !p.done; p = await pages.next()) {
    place.signal.throwIfAborted()
    for (const e of p.value.events) run.events.push(e)
    size += p.value.size
    if (run.events.length < most) continue
    run.pages = pages
    break
  }
  run.size = size / run.events.length
  return run
}

/** load begins to read a run, whatever it is in: t/THREAD, r/RECORDING or f/FILE. */
async function load(ref, most = FIRST) {
  const name = ref.slice(2)
  if (ref[0] === 't') {
    const at = '/threads/' + enc(name), info = await get(at)
    const source = new ThreadRun(async query => sized(`${at}/run${query}`))
    return { ...await begin({ name, note: threadNote, info }, source, most), graph: await get('/graphs/' + enc(info.graph)) }
  }
  const { of, part } = bytes(ref), [, id] = /^(?:.*\.jsonl?)#(.*)$/.exec(name) ?? []
  let run = { name, note: 'Events have what steps change in a run with graphgen.WithExchanges, of a graph with serve: true.' }
  try {
    run = await begin(run, new Lines(part, ref[0] === 'r' ? id : of.chosen), most)
  } catch (err) {
    if (!(err instanceof NoEvents) || !of || err.line > 1 && of.name.endsWith('l')) throw err
    const r = await fetch('events', { method: 'POST', body: of, signal: place.signal }), got = exactly(await r.text())
    if (!r.ok) throw of.name.endsWith('l') ? err : new Problem(got)
    Object.assign(run, got)
  }
  if (!run.events.length) throw new Error('The recording is empty.')
  run.graph = await graphOf(run.events.find(e => !e.within)?.graph)
  return run
}

async function recordingPage(ref) {
  document.title = ref.slice(2) + ' · studio'
  path(['graphs', '#/'], [ref.slice(2), location.hash])
  const run = await load(ref)
  path(['graphs', '#/'], [run.graph.view?.graph ?? run.graph.graph, run.graph.at], [run.name, location.hash])
  const shown = show(run.graph, [run]), besides = h('.buttons')
  $('act').append(besides)
  besides.append(...await compares(ref, run.graph))
  await shown.rest(run.pages ?? [])
  const others = [...run.source?.others ?? []], other = h('select', { 'aria-label': 'run of the file' }, others.map(id => h('option', {}, id)))
  if (others.length) besides.prepend(h('span', {}, 'The file has further runs:'), other, act('show it', '', () => {
    if (ref[0] === 'r') return void (location.hash = `#/r/${enc(bytes(ref).file + '#' + other.value)}`)
    files.get(run.name).chosen = other.value
    return go()
  }))
}

/** compares lets a person choose a run to show beside another. */
async function compares(ref, graph) {
  const list = []
  for (const g of (await get('/graphs')).graphs) if (g.durable && (g.name === graph.name || g.graph === graph.view?.graph)) for (const t of (await get('/threads?limit=50&graph=' + enc(g.name))).threads) list.push('t/' + t.thread)
  list.push(...((await ofModule('GET', '/')).recordings ?? []).map(r => 'r/' + r), ...[...files.keys()].map(f => 'f/' + f))
  const all = list.filter(r => r !== ref), kinds = { t: 'thread', r: 'recording', f: 'file' }
  if (!all.length) return []
  const other = h('select', { 'aria-label': 'another run' }, all.map(r => h('option', { value: r }, `${kinds[r[0]]} ${r.slice(2)}`)))
  return [other, act('compare', '', () => { location.hash = `#/c/${enc(ref)}/${enc(other.value)}` })]
}

async function comparePage(a, b) {
  document.title = 'two runs · studio'
  path(['graphs', '#/'])
  const runs = [await load(a, LONGEST), await load(b, LONGEST)], names = runs.map(r => r.graph.view?.graph)
  if (names[0] !== names[1]) throw new Error(`The runs are of the graphs ${names.join(' and ')}.`)
  if (runs.some(r => r.pages?.next)) throw new Error(`One of the runs has more than ${LONGEST} events: they are not compared.`)
  path(['graphs', '#/'], [runs[0].name, '#/' + a[0] + '/' + enc(a.slice(2))], [runs[1].name, '#/' + b[0] + '/' + enc(b.slice(2))])
  show(runs[0].graph, runs)
}

async function threadPage(name) {
  document.title = name + ' · studio'
  let stale = false
  const early = [], page = { live: e => early.push(e), refresh() { stale = true } }
  await follow(name, (await get('/threads/' + enc(name))).seq, page)
  const run = await load('t/' + name), { graph: g, info } = run
  path(['graphs', '#/'], [info.graph, '#/g/' + enc(info.graph)], [name, location.hash])
  const shown = show(g, [run])
  page.refresh = async () => actions(name, await get('/threads/' + enc(name)), g)
  actions(name, info, g)
  if (stale) await page.refresh() // what changed while the run was read
  await shown.rest(run.pages)
  for (const e of early) if (e.record >= run.source.seq) shown.live(e) // what led to an earlier record is in the run that was read
  page.live = shown.live
}

/** follow gives a page what happens in a thread after a record. It returns once the stream is open: what happens while the page reads the run is not lost.
    What a connection that ends has missed, the next one has. */
function follow(name, seq, page) {
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
        await page.refresh()
      }
    } catch (err) { complain(err) } finally { busy = false }
  }
  source.addEventListener('live', ev => {
    const e = exactly(ev.data)
    page.live(e)
    if (e.kind === 'run_start' || e.kind === 'run_end') setTimeout(refresh, 150) // the record of it is saved then
  })
  source.addEventListener('step', ev => {
    const s = JSON.parse(ev.data)
    if (s.paused || s.ended || s.run) setTimeout(refresh, 50)
  })
  source.addEventListener('reset', () => go())
  return new Promise(heard => ['open', 'error'].forEach(e => source.addEventListener(e, heard, { once: true })))
}

/** actions shows what can be done with a thread. */
function actions(name, info, g) {
  const at = '/threads/' + enc(name), now = JSON.stringify(info)
  if ($('act').dataset.now === now && $('act').childNodes.length) return
  $('act').dataset.now = now
  const open = [$('past'), $('beside')].filter(Boolean)
  const again = async () => { $('act').dataset.now = ''; actions(name, await get(at), g) }
  $('act').replaceChildren(h('.buttons', {}, pill(info.status), info.failure && h('span.wrong', {}, info.failure),
    info.status === 'running' && act('stop', '', async () => { await call('POST', at + '/stop'); await again() }),
    ['failed', 'stopped'].includes(info.status) && act('continue', '.main', async () => { await call('POST', at + '/recover'); await again() }),
    act('state and forks', '', () => past(name, info.seq)),
    act('compare with', '', async () => {
      const with_ = await compares('t/' + name, g)
      $('beside')?.remove()
      $('act').append(h('.buttons', { id: 'beside' }, with_.length ? with_ : 'There is no other run.'))
    }),
    ['completed', 'failed', 'stopped', 'paused'].includes(info.status) && act('delete', '.bad', async () => {
      if (!confirm(`Delete the thread ${name}?`)) return
      await call('DELETE', at)
      location.hash = '#/'
    })), ...(info.requests ?? []).map(q => ask(name, q, again)), ...open)
}

/** ask is the form of a request. */
function ask(name, q, again) {
  const send = async answer => { await call('POST', `/threads/${enc(name)}/requests/${enc(q.id)}`, answer); await again() }
  const box = (...kids) => h('.ask', { 'data-request': q.id }, h('b', {}, q.question ?? (q.tool ? `call of ${q.tool}` : q.node ?? q.id)),
    (q.shown ?? []).map(s => h('label', {}, s.name, h('pre', {}, pretty(s.value ?? s.text ?? '')))), kids)
  const s = q.answer ?? {}
  if (s.const !== undefined) return box(h('.buttons', {}, act(String(plain(s.const)), '.main', () => send(s.const))))
  if (s.properties?.decision && q.tool) { // a call that is approved, or with other arguments
    const args = h('textarea.json', { rows: 4, 'aria-label': 'arguments', spellcheck: 'false' }), reason = h('input', { 'aria-label': 'reason', placeholder: 'reason' })
    const given = args.value = JSON.stringify(q.arguments ?? {}, null, 2)
    const decide = decision => async () => {
      const answer = { decision, ...reason.value && { reason: reason.value } }
      if (decision === 'approve' && args.value !== given) answer.arguments = jsonOf(args.value, '', 'The arguments are')
      await send(answer)
    }
    return box(h('label', {}, `arguments of ${q.tool}`, args), reason, h('.buttons', {}, act('approve', '.main', decide('approve')), act('deny', '.bad', decide('deny'))))
  }
  const choices = s.enum ?? q.choices
  if (choices) return box(h('.buttons', {}, choices.map((c, k) => act(plain(c), c === 'deny' ? '.bad' : k === 0 ? '.main' : '', () => send(c)))))
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
      if (set.value.trim()) fields = jsonOf(set.value, '', 'The fields are')
      await call('POST', at + '/fork', { to: to.value, at: Number(number.value), ...fields && { set: fields } })
      location.hash = '#/t/' + enc(to.value)
    })))
  $('past')?.remove()
  $('act').append(box)
  await load()
}

go()
