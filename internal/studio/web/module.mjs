import { gallery, h, ms, picture, pill } from './view.mjs'

// What the studio knows of a module: its specs, their scenarios, and their versions.

/** specPage shows a spec: what its scenarios took of it, and what changed since a version. It is told how to ask, and how to make buttons. */
export function specPage({ name, spec, ask, act, into }) {
  const { view, scenarios, versions } = spec, results = new Map(), of = 'of=' + encodeURIComponent(name)
  const drawn = h('section', { id: 'picture', 'aria-label': 'graph' }), right = h('section')
  let paint, only
  const original = () => {
    paint = gallery(drawn, picture(view.picture), view.graphs)
    cover()
  }

  // ---- scenarios

  const rows = h('tbody'), sum = h('p', { role: 'status' })
  /** cover shows in the picture what scenarios took: all that were run, or the one that is picked. */
  function cover() {
    const nodes = new Map(), edges = new Map()
    const shown = [...results.values()].filter(r => !only || r.name === only)
    if (!shown.length) return
    for (const r of shown) {
      for (const [n, count] of Object.entries(r.nodes)) nodes.set(n, { count: (nodes.get(n)?.count ?? 0) + count, state: 'done' })
      r.taken?.forEach((count, k) => { if (count) edges.set(String(k + 1), { count: (edges.get(String(k + 1))?.count ?? 0) + count, lost: 0 }) })
    }
    for (const n of view.nodes.toReversed()) if (n.parent && nodes.has(n.name) && !nodes.has(n.parent)) nodes.set(n.parent, { count: nodes.get(n.name).count, state: 'done' })
    paint.paint({ nodes, edges }, true)
    const real = view.nodes, never = view.transitions.slice(1).filter((_, k) => !edges.has(String(k + 2)))
    sum.textContent = `${only ? `${only}: ` : ''}${real.filter(n => nodes.has(n.name)).length} of ${real.length} nodes, ${view.transitions.length - 1 - never.length} of ${view.transitions.length - 1} transitions`
  }
  function list() {
    rows.replaceChildren(...scenarios.map(s => {
      const r = results.get(s.name)
      const picked = only === s.name
      return [h('tr', { 'data-scenario': s.name }, h('td', {}, r ? h('button.link', { 'aria-pressed': String(picked), title: 'show what it took alone', onclick: () => { only = picked ? undefined : s.name; original(); list() } }, s.name) : s.name),
        h('td', {}, r && pill(r.failures.length ? 'failed' : 'passed')), h('td', {}, r ? r.path.join(' → ') : `${s.file}:${s.line}`), h('td', {}, act('run', '', () => run(s.name)))),
      r?.failures.length > 0 && h('tr', {}, h('td', { colspan: 4 }, r.failures.map(f => h('.failure', {}, h('b', {}, f.what), h('span.mute', {}, ` line ${f.line || r.line}`),
        h('dl', {}, f.want !== '' && h('', {}, h('dt', {}, 'want'), h('dd', {}, h('pre', {}, f.want))), h('', {}, h('dt', {}, 'got'), h('dd', {}, h('pre', {}, f.got))))))))]
    }).flat().filter(Boolean))
  }
  async function run(one) {
    sum.textContent = 'The graph is compiled, and the scenarios run.'
    const done = await ask('POST', `/scenarios?${of}${one ? '&run=' + encodeURIComponent(one) : ''}`)
    for (const r of done.results) results.set(r.name, r)
    only = one
    original()
    list()
    const failed = done.results.filter(r => r.failures.length).length
    sum.textContent = done.problem ? '' : `${done.results.length - failed} passed, ${failed} failed, in ${ms(done.took_ms)}. ${sum.textContent}`
    if (done.problem) throw new Error(done.problem)
  }

  // ---- versions

  const rev = h('select', { 'aria-label': 'version' }, versions.map(v => h('option', { value: v.rev }, `${v.rev} ${v.date} ${v.subject}`)))
  const other = h('input', { 'aria-label': 'another revision', placeholder: 'or a revision', autocomplete: 'off' }), changes = h('div')
  const compare = act('compare', '', async () => {
    const since = other.value || rev.value
    const got = await ask('GET', `/against?${of}&rev=${encodeURIComponent(since)}`)
    drawn.replaceChildren(picture(got.picture))
    changes.replaceChildren(h('p', {}, got.changes.length ? `Since ${since}:` : `Nothing has changed since ${since}.`), h('ul.changes', {}, got.changes.map(c => h('li.is-' + c.kind, {}, h('b', {}, c.kind), ` ${c.section} ${c.of ?? ''}${c.what ? ': ' + c.what : ''}`))),
      h('.buttons', {}, act('as it is', '', () => { changes.replaceChildren(); original() })))
  })

  right.append(h('h2', {}, 'scenarios'), scenarios.length ? h('.buttons', {}, act('run all', '.main', () => run())) : h('p.mute', {}, 'The spec has none.'), sum,
    scenarios.length ? h('table', {}, h('thead', {}, h('tr', {}, ['scenario', 'result', 'path', 'run it'].map(t => h('th', { scope: 'col' }, t)))), rows) : '',
    h('h2', {}, 'what has changed'), h('.buttons', {}, versions.length ? rev : '', other, compare), changes)
  list()
  into.append(view.doc ? h('p', {}, view.doc) : '', h('div.graph', {}, drawn, right))
  original()
}
