import { exactly } from './exact.mjs'
import { start, add, order, live, request, took, statusAt, difference, restore, valueAt } from './fold.mjs'
import { painter, idText } from './paint.mjs'

// A view of one run, or of two, in a document that has its parts. Every text of a spec, a model, a tool or a person is the content of a text node.

const $ = id => document.getElementById(id)

/** h makes an element of a name with classes, as in span.num. */
export function h(tag, attrs, ...kids) {
  const [name, ...classes] = tag.split('.'), e = document.createElement(name || 'div')
  if (classes.length) e.className = classes.join(' ')
  for (const [k, v] of Object.entries(attrs ?? {})) {
    if (v === undefined || v === null || v === false) continue
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v)
    else if (k === 'left' || k === 'width' || k === 'top') e.style[k] = v
    else e.setAttribute(k, v === true ? '' : v)
  }
  e.append(...kids.flat(9).filter(k => k !== undefined && k !== null && k !== false && k !== ''))
  return e
}
export const ms = n => n === undefined || Number.isNaN(n) ? '' : n === 0 ? '0' : n < 1 ? `${Math.round(n * 1000)} µs` : n < 1000 ? `${n < 10 ? n.toFixed(1) : Math.round(n)} ms` : n < 60000 ? `${(n / 1000).toFixed(2)} s` : `${Math.floor(n / 60000)} min ${Math.round(n % 60000 / 1000)} s`
const usd = n => n ? '$' + (n < 0.01 ? n.toFixed(5) : n.toFixed(3)) : ''
const tokens = t => t[0] || t[1] ? `${t[0].toLocaleString('en')} → ${t[1].toLocaleString('en')}` : ''
export const pretty = v => typeof v === 'string' ? indented(v) : JSON.stringify(v, null, 2)
function indented(t) {
  if (!/^\s*[[{]/.test(t)) return t
  try { return JSON.stringify(exactly(t), null, 2) } catch { return t }
}
export const words = { done: 'done', failed: 'failed', waiting: 'waits', active: 'runs', later: 'not yet', stopped: 'stopped', completed: 'completed', interrupted: 'paused', running: 'not ended' }
export const word = s => words[s] ?? s.replaceAll('_', ' ')
export const pill = s => h('span.pill.is-' + (/^[a-z_]+$/.test(s) ? s : 'other'), {}, word(s))

/** themes makes a button change between light and dark. */
export const themes = button => button.addEventListener('click', () => {
  const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  root.dataset.theme = dark ? 'light' : 'dark'
})

/** picture makes the picture of a graph, whose colors come from the style sheet. */
export function picture(text) {
  const svg = document.importNode(new DOMParser().parseFromString(text.replace(/<style>[^<]*<\/style>/g, ''), 'image/svg+xml').documentElement, true)
  for (const s of svg.querySelectorAll('style, script, a, image, foreignObject')) s.localName === 'a' ? s.replaceWith(...s.childNodes) : s.remove()
  return svg
}

/** gallery shows a picture in an element, or that of a graph that its nodes run: each of these has the nodes at which it is, with those that run their graph. */
export function gallery(pane, svg, graphs, pick) {
  if (!svg) return { paint() {}, mark() {}, follow() {} }
  const children = new Map((graphs ?? []).flatMap(g => g.at.map(at => [at, g]))), known = new Map()
  const name = svg.querySelector('title')?.textContent.replace(/^graph /, '')
  let shownAt, last, marked
  function open(at, hand = true) {
    if (at === shownAt) return
    const child = children.get(at), parts = at ? at.split('/') : [], to = k => parts.slice(0, k).join('/')
    const shown = known.get(at)?.svg ?? (child ? picture(child.picture) : svg)
    pane.replaceChildren(...at ? [h('nav.crumbs', { 'aria-label': 'graphs' }, [name, ...parts].map((p, k) => k === parts.length ? h('b', { title: `graph ${child.graph}` }, p) : h('button', { onclick: () => open(to(k)) }, p)))] : [], shown)
    shownAt = at
    if (!known.has(at)) {
      const paint = painter(shown, pick, at.split('/').map(idText).join('/'))
      known.set(at, { svg: shown, paint })
      for (const [k, g] of children) if (k.startsWith(at && at + '/') && paint.has(k)) paint.opens(k, `open graph ${g.graph}, which ${k.split('/').at(-1)} runs`, () => open(k))
    }
    if (last) paint(...last)
    mark(marked)
    if (hand) pane.querySelector('.crumbs button, .open').focus() // what had the focus is left
  }
  const now = () => known.get(shownAt).paint
  /** paint shows what runs did; with cover, the counts are of the first picture alone. */
  function paint(live, cover) {
    last = [live, cover]
    if (!cover || !shownAt) now().paint(live, cover)
  }
  const around = path => path.slice(0, Math.max(0, path.lastIndexOf('/')))
  /** mark shows which node is picked, or which one runs its graph. */
  function mark(path) {
    marked = path
    while (path && !now().has(path)) path = around(path)
    now().mark(path)
  }
  /** follow opens the picture that has a node. */
  function follow(path) {
    if (!path || now().has(path)) return
    if (known.get('').paint.has(path)) return open('', false)
    for (let at = around(path); at; at = around(at)) if (children.has(at)) return open(at, false)
  }
  open('', false)
  return { paint, mark, follow }
}

/** nodesOf returns what is known of the nodes of a graph, and of those of the graphs that they run. */
function nodesOf(view) {
  const all = {}
  for (const n of view?.nodes ?? []) all[n.name] = n
  for (const g of view?.graphs ?? []) for (const at of g.at) for (const n of g.nodes) all[`${at}/${n.name}`] = n
  return all
}

/** KEPT is how many bytes of events details of steps are kept of, where they can be read again. */
const KEPT = 12 << 20

/** runView shows runs with the picture that the document has. The signal ends what it listens to. */
export function runView(data, signal) {
  // ---- the runs

  const nodes = nodesOf(data.view)
  const runs = data.runs.map((source, number) => {
    const run = start(nodes), label = runs2() ? 'AB'[number] : ''
    if (source.again) run.most = KEPT
    run.size = source.size ?? 300
    for (const e of source.events) add(run, e)
    source.events = undefined // they are in the fold, or can be read again
    const r = { number, source, run, rows: [], at: run.events - 1, picked: undefined, label, again: [], reading: Promise.resolve() }
    return arrange(r), r
  })
  /** arrange finds the rows of the waterfall. */
  function arrange(r) {
    r.rows = order(r.run)
    r.rows.forEach((s, k) => s.row = k)
  }
  function runs2() { return data.runs.length > 1 }
  let on = runs[0]
  const found = runs2() ? difference(runs[0].run, runs[1].run) : undefined
  if (runs2()) document.body.classList.add('two')

  // ---- the picture

  const drawing = gallery($('picture'), document.querySelector('#picture svg'), data.view?.graphs, pickNode)
  function paint() {
    drawing.paint(live(on.run, on.at))
    drawing.mark(on.picked?.path)
  }

  // ---- the waterfall: of its rows, those are in the document that can be seen

  const ROW = 22
  function waterfall(r) {
    const list = h('.rows', { tabindex: 0, role: 'listbox', 'aria-label': `steps of run ${r.label || r.run.id}` })
    const space = h('.space')
    space.style.height = r.rows.length * ROW + 'px'
    list.append(space)
    const head = h('.row.head', { 'aria-hidden': 'true' }, h('span.who', {}, r.label && h('b.label', {}, r.label), 'step'),
      h('span.key', {}, [['model', 'model'], ['tool', 'tool'], ['wait', 'waiting'], ['code', 'other']].map(([c, t]) => h('span.k-' + c, {}, t))),
      h('span.num', {}, 'tokens'), h('span.num', {}, 'cost'), h('span.num', {}, 'time'))
    const pane = h('.waterfall', { id: 'waterfall' + r.label }, head, list)
    Object.assign(r, { pane, list, space, shown: new Map() })
    let asked = false
    list.addEventListener('scroll', () => { if (!asked) asked = true, requestAnimationFrame(() => { asked = false; window_(r) }) })
    list.addEventListener('keydown', ev => {
      const move = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[ev.key]
      if (!move || !r.rows.length) return
      ev.preventDefault()
      ev.stopPropagation()
      const k = Math.max(0, Math.min(r.rows.length - 1, (r.picked?.row ?? -1) + move))
      pick(r, r.rows[k])
    })
    return pane
  }
  const pct = (r, t) => (100 * t / (r.run.end || 1)).toFixed(3) + '%'
  const bar = (r, kind, from, to, title) => h('span.bar.k-' + kind, { left: pct(r, from), width: pct(r, Math.max(0, to - from)), title })

  function row(r, s) {
    const end = s.to ?? r.run.end, asked = s.asked[0]
    const bars = [bar(r, s.children.length ? 'region' : 'code', s.from, asked && s.to === undefined ? asked.ms : end, `${s.node}: ${ms(end - s.from)}`)]
    for (const x of s.spans.slice(0, 200)) bars.push(bar(r, x.kind, x.from, x.to ?? r.run.end, x.kind === 'wait' ? `tries again after ${ms(x.to - x.from)}` : `${x.kind} ${x.tool?.name ?? x.model?.name ?? ''} ${ms((x.to ?? r.run.end) - x.from)}`))
    for (const a of s.asked) bars.push(h('span.mark.k-person', { left: pct(r, a.ms), title: 'waits for a person' }))
    if (s.status === 'failed') bars.push(h('span.mark.k-failed', { left: pct(r, end), title: 'failed' }))
    const differs = found && s === found['ab'[r.number]]
    const status = statusAt(s, r.at)
    return h('.row.is-' + s.status + (s === r.picked ? '.picked' : '') + (status === 'later' ? '.later' : '') + (differs ? '.differs' : ''),
      { top: s.row * ROW + 'px', role: 'option', id: `step${r.label}-${s.index}`, 'aria-selected': s === r.picked ? 'true' : 'false', onclick: () => pick(r, s) },
      h('span.who', { title: `${s.path}${s.branch ? ', branch ' + s.branch : ''}, step ${s.step}, visit ${s.visit}: ${word(s.status)}` },
        h('span.indent', { width: 12 * Math.min(s.depth, 8) + 'px' }), h('b', {}, s.node), s.branch && s.branch !== s.parent?.branch && h('i', {}, s.branch.split('/').at(-1)), s.visit > 1 && h('i', {}, '×' + s.visit), differs && h('em', {}, 'differs')),
      h('span.lane', {}, bars, h('span.now', { left: pct(r, r.run.times[r.at] ?? 0) })),
      h('span.num', {}, tokens(s.tokens)), h('span.num', {}, usd(s.cost)), h('span.num', {}, s.to === undefined && asked ? 'person' : s.to === undefined ? '' : ms(s.to - s.from)))
  }

  /** window_ puts the rows into the document that can be seen. */
  function window_(r, all) {
    clearTimeout(r.soon)
    r.soon = setTimeout(() => { if (!signal?.aborted) want(r, [...r.picked ? [r.picked] : [], ...[...r.shown.keys()].map(k => r.rows[k])]) }, 100)
    const from = Math.max(0, Math.floor(r.list.scrollTop / ROW) - 12), to = Math.min(r.rows.length, from + Math.ceil((r.list.clientHeight || 600) / ROW) + 24)
    for (const [k, e] of r.shown) if (all || k < from || k >= to) e.remove(), r.shown.delete(k)
    for (let k = from; k < to; k++) if (!r.shown.has(k)) {
      const e = row(r, r.rows[k])
      r.shown.set(k, e)
      r.space.append(e)
    }
  }
  function reveal(r) {
    if (!r.picked) return
    const top = r.picked.row * ROW, height = r.list.clientHeight
    if (top < r.list.scrollTop) r.list.scrollTop = top
    else if (top + ROW > r.list.scrollTop + height) r.list.scrollTop = top + ROW - height
    r.list.setAttribute('aria-activedescendant', `step${r.label}-${r.picked.index}`)
  }

  // ---- a step

  const section = (title, ...kids) => kids.flat(9).some(Boolean) && h('section', {}, h('h3', {}, title), kids)
  const text = (v, kind = '') => v === undefined || v === '' ? '' : h('pre' + kind, {}, pretty(v))

  function lost(r, e) {
    if (e.file === undefined || !e.line) return ''
    const from = Math.max(1, e.line - 2), all = data.files[e.file]
    return h('.spec', {}, h('span.where', {}, `${e.file}:${e.line}`), all && all.slice(from - 1, e.line + 3).map((t, k) => h(from + k === e.line ? 'pre.on' : 'pre', {}, h('i', {}, String(from + k)), t || ' ')))
  }
  function message(m) {
    const media = (m.media ?? m.parts ?? []).length
    return h('.msg.by-' + (/^[a-z]+$/.test(m.role ?? '') ? m.role : 'user'), {}, h('span.role', {}, m.role ?? 'user', m.name && ` ${m.name}`), text(m.text ?? m.text_base64),
      (m.calls ?? []).map(c => h('pre', {}, `${c.name}(${indented(c.arguments ?? '')})`)), media > 0 && h('i', {}, `${media} files`))
  }
  function modelCall(r, x) {
    const end = x.to ?? r.run.end, m = x.model ?? {}, sent = request(r.run, x.sent), u = m.usage ?? {}
    const before = sent ? sent.messages.slice(0, sent.same) : [], fresh = sent ? sent.messages.slice(sent.same) : []
    return h('.call.k-model', {}, h('.line', {}, h('b', {}, `model ${m.name ?? ''}`), h('span', {}, m.purpose), m.attempt > 1 && h('span', {}, `attempt ${m.attempt}`), h('span', {}, x.to === undefined ? 'not answered' : ms(end - x.from)),
      h('span', {}, u.input || u.output ? `${tokens([u.input ?? 0, u.output ?? 0])} tokens` : ''), h('span', {}, usd(u.cost)), h('span', {}, m.finish)),
      sent && h('details', { open: true }, h('summary', {}, `request: ${sent.messages.length} message${sent.messages.length === 1 ? '' : 's'}${sent.tools?.length ? `, ${sent.tools.length} tool${sent.tools.length === 1 ? '' : 's'}` : ''}${sent.output ? ', an answer by schema' : ''}`),
        sent.system && message({ role: 'system', text: sent.system }),
        sent.tools?.length && h('details', {}, h('summary', {}, `tools: ${sent.tools.map(t => t.name).join(', ')}`), sent.tools.map(t => [h('b', {}, t.name), text(t.doc), text(t.schema)])),
        sent.output && h('details', {}, h('summary', {}, 'schema of the answer'), text(sent.output)),
        before.length > 0 && h('details', {}, h('summary', {}, `${before.length} message${before.length === 1 ? '' : 's'} as in call ${sent.continues}`), before.map(message)),
        fresh.map(message)),
      x.received ? message({ role: 'assistant', ...x.received }) : x.text && message({ role: 'assistant', text: x.text }), x.error && text(x.error, '.error'))
  }
  function toolCall(r, x) {
    const t = x.tool ?? {}
    return h('.call.k-tool', {}, h('.line', {}, h('b', {}, `tool ${t.name ?? ''}`), h('span', {}, t.again ? 'answered before' : x.to === undefined ? 'not answered' : ms(x.to - x.from)), t.by && h('span', {}, `asked for in call ${t.by}`)),
      text(t.arguments ?? t.arguments_base64), h('.line', {}, h('span', {}, x.to === undefined ? '' : 'result')), text(t.result ?? t.result_base64), x.error && text(x.error, '.error'))
  }
  function call(r, x) {
    if (x.sum) return h('.call.k-' + x.kind, {}, h('.line', {}, h('b', {}, `all calls of ${x.kind}s`), h('span', {}, ms(x.to - x.from))))
    if (x.kind === 'wait') return h('.call.k-wait', {}, h('.line', {}, h('b', {}, 'tried again'), h('span', {}, `after ${ms(x.to - x.from)}`)), text(x.error, '.error'))
    return x.kind === 'model' ? modelCall(r, x) : toolCall(r, x)
  }
  function changed(s) {
    return s.written.map(w => {
      const before = w.added ? undefined : valueAt(s.more.wrote?.up, w.name)
      return (before === undefined || JSON.stringify(before) !== JSON.stringify(w.value)) && h('.field', {}, h('b', {}, w.name, w.added && ' (added)'), !w.added && before !== undefined && text(before, '.del'), text(w.value === undefined ? 'null' : typeof w.value === 'string' ? w.value : JSON.stringify(w.value, null, 2), '.add'))
    })
  }
  function input(r, s) {
    const reads = nodes[s.path]?.reads ?? []
    return reads.map(n => [n, valueAt(s.base, n)]).filter(([, v]) => v !== undefined).map(([n, v]) => h('.field', {}, h('b', {}, n), text(v)))
  }
  function asked(a) {
    const q = a.request
    return h('.call.k-person', {}, h('.line', {}, h('b', {}, q.question ?? q.kind ?? 'a person is asked'), q.deadline && h('span', {}, `until ${q.deadline}`)), q.tool && h('.line', {}, h('span', {}, `before the call of ${q.tool}`)), text(q.arguments), q.choices && h('.line', {}, h('span', {}, 'answers: ' + q.choices.join(', '))), q.answer && h('details', {}, h('summary', {}, 'schema of the answer'), text(q.answer)))
  }

  /** followed is why a transition was. */
  function followed(route) {
    if (route.rule === 'terminal') return ', as no transition leads on'
    return ` by ${route.rule}` + (route.reason && route.reason !== route.rule ? `: ${route.reason}` : '') + (route.label ? ` (${route.label})` : '')
  }

  function detail(r) {
    const s = r.picked
    if (!s) return h('.detail', {}, h('p.mute', {}, 'No step has begun.'))
    const node = nodes[s.path], status = statusAt(s, r.at), before = x => x.at <= r.at
    const model = took(s, 'model', r.run.end), tool = took(s, 'tool', r.run.end), wait = took(s, 'wait', r.run.end)
    const differs = found && s === found['ab'[r.number]]
    const reads = input(r, s), ended = ['done', 'failed', 'stopped'].includes(status)
    return h('.detail', { 'aria-label': `step ${s.node}${r.label && ' of run ' + r.label}`, role: 'region', tabindex: 0 },
      h('.top', {}, r.label && h('b.label', {}, r.label), h('h2', {}, s.node), pill(status), h('span', {}, s.kind || node?.kind), h('span', {}, `step ${s.step}, visit ${s.visit}`), s.branch && h('span', {}, `branch ${s.branch}`), s.within && h('span', {}, `within ${s.within}`),
        ended && h('span', {}, ms(s.to - s.from)), model > 0 && h('span.k-model', {}, `model ${ms(model)}`), tool > 0 && h('span.k-tool', {}, `tools ${ms(tool)}`), wait > 0 && h('span.k-wait', {}, `waiting ${ms(wait)}`), h('span', {}, tokens(s.tokens) && tokens(s.tokens) + ' tokens'), h('span', {}, usd(s.cost)), s.skipped && h('span', {}, 'skipped')),
      differs && h('p.differs', {}, `The first difference: ${found.kind}.`), node?.doc && h('p.mute', {}, node.doc),
      status === 'failed' && section('failure', text(s.error, '.error'), lost(r, s)),
      section('waits for', s.asked.filter(before).map(asked)),
      section('input', reads),
      ended && section('changed state', changed(s)),
      ended && section('answer', text(s.text)),
      section('calls', s.spans.filter(before).map(x => call(r, x))),
      section('events', s.notes.filter(before).map(n => h('.call', {}, h('.line', {}, h('b', {}, word(n.kind))), text(n.text), text(n.payload), text(n.error, '.error')))),
      s.route && s.route.at <= r.at && section('then', h('p', {}, h('b', {}, s.route.to), followed(s.route)), s.status !== 'failed' && s.route.rule !== 'terminal' && lost(r, s.route)),
      !s.written.length && !s.base && ended && h('p.mute', {}, s.more === null ? 'The step is read again.' : s.more?.again ? 'The run is long: what a step has read is kept of the last steps alone.' : r.source.note))
  }

  // ---- the place in a run

  function show(r) {
    on = r
    for (const x of runs) x.pane.classList.toggle('on', x === r)
    $('scrub').max = r.run.events - 1
    $('scrub').value = r.at
    $('scrub').setAttribute('aria-valuetext', `event ${r.at + 1} of ${r.run.events}`)
    $('clock').textContent = `${r.label ? r.label + ': ' : ''}${ms(r.run.times[r.at] ?? 0)} of ${ms(r.run.end)}`
    paint()
    window_(r, true)
    reveal(r)
    $('detail').replaceChildren(...(runs2() ? runs : [r]).map(detail))
  }
  function go(r, at, s, alone) {
    r.at = Math.max(0, Math.min(r.run.events - 1, at))
    if (r.at < r.run.events - 1) r.follows = undefined
    if (s) r.picked = s
    else { // what began or ended last
      let k = r.at
      while (k >= 0 && !r.run.marks[k]) k--
      r.picked = r.run.steps[r.run.marks[k] - 1]
    }
    if (!alone) drawing.follow(r.picked?.path)
    show(r)
  }

  /** pick selects a step, with its counterpart in the other run. */
  function pick(r, s) {
    for (const x of runs) if (x !== r) {
      const same = x.run.steps.filter(y => y.within === s.within && y.branch === s.branch)
      const k = r.run.steps.filter(y => y.within === s.within && y.branch === s.branch).indexOf(s)
      if (same[k]) {
        x.picked = same[k]
        x.at = endOf(x.picked)
        window_(x, true)
        reveal(x)
      }
    }
    go(r, endOf(s), s)
  }
  const endOf = s => Math.max(s.endAt ?? 0, s.route?.at ?? 0) || s.asked.at(-1)?.at || s.spans.at(-1)?.endAt || s.spans.at(-1)?.at || s.at
  /** next and prev go to the event at which a step begins, ends or asks. */
  function next() {
    let k = on.at + 1
    while (k < on.run.events - 1 && !on.run.marks[k]) k++
    go(on, k)
  }
  function prev() {
    let k = on.at - 1
    while (k > 0 && !on.run.marks[k]) k--
    go(on, k)
  }
  function pickNode(id) {
    const all = on.rows.filter(s => (s.of.id ??= idText(s.path)) === id)
    if (all.length) pick(on, all[(all.indexOf(on.picked) + 1) % all.length])
  }
  let timer
  function play() {
    if (timer) timer = clearInterval(timer)
    else {
      if (on.at >= on.run.events - 1) go(on, 0)
      timer = setInterval(() => on.at >= on.run.events - 1 ? play() : next(), 350)
    }
    $('play').textContent = timer ? 'pause' : 'play'
  }

  // ---- the head of the page

  function summary(r) {
    const run = r.run, t = run.total, sum = kind => [...run.open.values()].reduce((n, s) => n + took(s, kind, run.end), t[kind])
    const list = [['steps', run.steps.length], ['time', ms(run.end)], ['model', ms(sum('model'))], ['tools', ms(sum('tool'))], ['waiting', ms(sum('wait'))],
      ['tokens', tokens([t.input, t.output])], ['cost', usd(t.cost)], ['retries', t.retries || ''], ['failures', t.failures || '']]
    r.head.replaceChildren(h('.run', {}, r.label && h('b.label', {}, r.label), h('b.name', { title: `${r.source.name}, run ${run.id}` }, r.source.name), pill(run.status), h('dl', {}, list.filter(([, v]) => v !== '' && v !== '0' && v !== undefined).map(([t, v]) => h('', {}, h('dt', {}, t), h('dd', {}, String(v)))))))
    if (run.status !== 'interrupted' && run.error) r.head.append(h('p.error', {}, run.error))
  }
  $('runs').replaceChildren()
  $('times').replaceChildren()
  for (const r of runs) {
    r.head = h('')
    $('runs').append(r.head)
    summary(r)
    $('times').append(waterfall(r))
  }
  if (runs2()) {
    $('runs').append(found ? h('p.differs', {}, `The first difference: ${found.kind}${found.a ?? found.b ? `, in ${(found.a ?? found.b).path}, step ${(found.a ?? found.b).step}` : ''}. `, h('button', { id: 'first', onclick: firstDifference }, 'show it')) : h('p', {}, 'The runs do not differ, except in times.'))
  }
  function firstDifference() {
    for (const [k, s] of [found.a, found.b].entries()) if (s) runs[k].picked = s, runs[k].at = endOf(s)
    const r = found.a ? runs[0] : runs[1]
    for (const x of runs) window_(x, true), reveal(x)
    show(r)
  }

  $('scrub').addEventListener('input', ev => go(on, Number(ev.target.value)), { signal })
  $('begin').addEventListener('click', () => go(on, 0), { signal })
  $('prev').addEventListener('click', prev, { signal })
  $('next').addEventListener('click', next, { signal })
  $('end').addEventListener('click', () => go(on, Infinity), { signal })
  $('play').addEventListener('click', play, { signal })
  addEventListener('keydown', ev => {
    if (ev.ctrlKey || ev.metaKey || ev.altKey || /^(INPUT|TEXTAREA|SELECT|BUTTON|SUMMARY)$/.test(ev.target.tagName)) return
    const act = { ArrowLeft: prev, ArrowRight: next, Home: () => go(on, 0), End: () => go(on, Infinity), ' ': play, d: () => found && firstDifference() }[ev.key]
    if (!act) return
    ev.preventDefault()
    act()
  }, { signal })
  addEventListener('resize', () => runs.forEach(r => window_(r)), { signal })
  for (const r of runs) go(r, Infinity, undefined, true)
  const failed = on.run.steps.findLast(s => s.status === 'failed' && !s.children.length)
  if (found) firstDifference()
  else if (failed && on.run.status === 'failed') pick(on, failed)
  else show(runs[0])

  // ---- details that were given up, and further events

  /** want reads details of steps again. */
  function want(r, steps) {
    r.wanted = steps.filter(s => s.more === null)
    if (!r.wanted.length || !r.source.again) return
    r.reading = r.reading.then(async () => {
      const now = r.wanted.filter(s => s.more === null)
      r.wanted = []
      for (const s of now) {
        const last = (s.endAt ?? s.at) + 20, parts = []
        for (const [from, to] of last - s.at < 5000 ? [[s.at, last]] : [[s.at, s.at + 1000], [last - 1000, last]]) {
          let part = r.part
          if (!(part?.first <= from && part.first + part.events.length > to)) part = r.part = await r.source.again(from, Math.min(to, r.run.events - 1))
          parts.push(part)
        }
        if (signal?.aborted) return
        if (parts.every(Boolean)) restore(r.run, s, parts)
        else s.more = { size: 0, again: true } // it was live: a page that is opened later can read it
        r.again.push(s)
        while (r.again.length > 400) r.again.shift().more = null
      }
      if (!now.length) return
      window_(r, true)
      if (now.includes(r.picked)) $('detail').replaceChildren(...(runs2() ? runs : [r]).map(detail))
    }).catch(err => { if (!signal?.aborted) console.error(err) })
  }

  let cost = 0, after = 0, timer2
  /** push adds events to the run, of which the view shows the end if it did. What that takes is a tenth of the time at most. */
  function push(events, size) {
    const r = runs[0]
    r.follows ??= r.at >= r.run.events - 1
    if (size) r.run.size = size
    for (const e of events) add(r.run, e)
    const wait = after + 9 * cost - performance.now()
    if (wait <= 0) renew()
    else timer2 ??= setTimeout(renew, wait)
  }
  function renew() {
    timer2 = clearTimeout(timer2)
    if (signal?.aborted) return
    const r = runs[0], begun = performance.now()
    arrange(r)
    r.space.style.height = r.rows.length * ROW + 'px'
    summary(r)
    if (r.follows) go(r, Infinity, undefined, true)
    else show(r)
    r.follows = undefined
    after = performance.now()
    cost = after - begun
  }
  return { push, run: runs[0].run }
}
