// What is shown in a picture of a graph: states, counts and the node that is picked.

const NS = 'http://www.w3.org/2000/svg'
const states = ['done', 'failed', 'stopped', 'waiting', 'active', 'none', 'lost']
const set = (g, state) => { for (const s of states) g.classList.toggle('is-' + s, s === state) }

/** idText is how identifiers of the picture have a name. */
export const idText = name => name.replace(/[^A-Za-z0-9_/-]/gu, c => '.' + c.codePointAt(0).toString(16) + '.')

/** painter shows in a picture what runs did. It calls pick with the identifier of a node that is chosen. The picture is of a graph that nodes run with
  * the identifier within, if there are such. */
export function painter(svg, pick, within = '') {
  const nodes = new Map(), lines = new Map(), prefix = within && within + '/'
  const keyOf = (id = '') => prefix + id.replace(/^(node|edge)-/, '')
  svg.setAttribute('role', 'group') // an img has no buttons
  svg.setAttribute('aria-label', svg.querySelector('title').textContent)
  svg.style.minWidth = Math.round(0.6 * svg.viewBox.baseVal.width) + 'px' // smaller, texts cannot be read
  for (const g of svg.querySelectorAll('g.node')) {
    const key = keyOf(g.id)
    nodes.set(key, g)
    if (!g.hasAttribute('data-node') || !pick) continue
    const button = g.matches('.region') ? g.querySelector(':scope > text') : g // a button has no buttons
    button.setAttribute('tabindex', '0')
    button.setAttribute('role', 'button')
    const pickHere = ev => {
      ev.stopPropagation()
      if (ev.key && ev.key !== 'Enter' && ev.key !== ' ') return
      ev.preventDefault()
      pick(key)
    }
    g.addEventListener('click', pickHere)
    g.addEventListener('keydown', ev => (ev.key === 'Enter' || ev.key === ' ') && pickHere(ev))
  }
  for (const g of svg.querySelectorAll('g.edge')) {
    const number = g.dataset.transition
    const from = keyOf(g.dataset.from)
    lines.set(number ? keyOf(g.id) : nodes.has(from) ? from + '/out' : g, g)
  }

  const sample = svg.querySelector('text[textLength]'), fitted = sample?.getAttribute('textLength')
  sample?.removeAttribute('textLength')
  const wide = sample ? Math.max(1, sample.getComputedTextLength() / fitted) : 1 // the font, in the one that pictures are measured with
  sample?.setAttribute('textLength', fitted)

  function badge(g, text, state, below) {
    const shape = g.querySelector(':scope > .shape, :scope > a > .shape') ?? g.querySelector('.shape')
    const box = shape.getBBox(), w = 12 + 6 * wide * text.length, y = below ? box.y + box.height - 5 : box.y - 10
    const b = document.createElementNS(NS, 'g'), r = document.createElementNS(NS, 'rect'), t = document.createElementNS(NS, 'text')
    b.setAttribute('class', (below ? 'open' : 'count') + ' is-' + state)
    for (const [k, v] of Object.entries({ x: box.x + box.width - w + 10, y, width: w, height: 15, rx: 7.5 })) r.setAttribute(k, v)
    t.setAttribute('x', box.x + box.width - w / 2 + 10)
    t.setAttribute('y', y + 11)
    t.textContent = text
    b.append(r, t)
    svg.append(b)
    return b
  }
  function tally(g, text, state) {
    const p = g.querySelector('path'), m = p.getPointAtLength(p.getTotalLength() / 2)
    const label = g.querySelector('text')?.getBBox(), t = document.createElementNS(NS, 'text')
    t.setAttribute('class', 'count tally is-' + state)
    t.setAttribute('x', label ? label.x + label.width + 4 : m.x + 5)
    t.setAttribute('y', label ? label.y + label.height - 3 : m.y + 4)
    t.textContent = text
    svg.append(t)
  }

  return {
    /** has reports whether a node is in the picture. */
    has: name => nodes.has(idText(name)),

    /** opens makes a button at a node, unless its graph is drawn within it. */
    opens(name, title, open) {
      const g = nodes.get(idText(name))
      if (!g || g.matches('.region')) return
      const b = badge(g, 'open', 'active', true)
      for (const [k, v] of Object.entries({ role: 'button', tabindex: 0, 'aria-label': title })) b.setAttribute(k, v)
      b.addEventListener('click', open)
      b.addEventListener('keydown', ev => {
        if (ev.key !== 'Enter' && ev.key !== ' ') return
        ev.preventDefault()
        ev.stopPropagation()
        open()
      })
    },

    /** paint shows nodes and transitions, as live of the fold returns them. With cover every count is shown, and what has none. */
    paint(now, cover = false) {
      const seen = new Map(), edges = new Map()
      for (const c of svg.querySelectorAll('.count')) c.remove()
      for (const [key, n] of now.nodes) seen.set(idText(key), n)
      for (const [key, g] of nodes) {
        const n = seen.get(key)
        set(g, n?.state ?? 'none')
        if (!n) cover && g.hasAttribute('data-node') && !g.matches('.region') && badge(g, 'never', 'waiting')
        else if (n.failed && n.count > 1) badge(g, `${n.failed} of ${n.count} failed`, 'failed')
        else if (n.failed) badge(g, 'failed', 'failed')
        else if (n.waiting) badge(g, 'waits', 'waiting')
        else if (n.count > 1 || cover) badge(g, '×' + n.count, n.state)
      }
      for (const [key, e] of now.edges) edges.set(idText(key), e)
      for (const [key, g] of lines) {
        let e = typeof key === 'string' ? edges.get(key) : undefined
        if (!e && /^(enter|fork)-/.test(g.dataset.from ?? '') && seen.has(keyOf(g.dataset.to))) e = { count: 1, lost: 0 } // a run begins there
        set(g, !e ? 'none' : e.count ? 'done' : 'lost')
        if (e?.count && e.lost) tally(g, `${e.count} of ${e.count + e.lost}`, 'done')
        else if (!e && cover && g.dataset.transition) tally(g, 'never', 'waiting')
        else if (e?.count > 1 || e?.count && cover && g.dataset.transition) tally(g, '×' + e.count, 'done')
      }
    },

    /** mark shows which node is picked. */
    mark(name) {
      for (const g of nodes.values()) g.classList.remove('picked')
      const g = name && nodes.get(idText(name))
      if (!g) return
      g.classList.add('picked')
      const pane = svg.parentNode, p = pane.getBoundingClientRect(), r = (g.querySelector('.shape') ?? g).getBoundingClientRect()
      for (const [side, from, to] of [['scrollTop', 'top', 'bottom'], ['scrollLeft', 'left', 'right']]) { // into view
        if (r[from] < p[from] || r[to] > p[to] && r[to] - r[from] > p[to] - p[from]) pane[side] += r[from] - p[from] - 16
        else if (r[to] > p[to]) pane[side] += r[to] - p[to] + 16
      }
    },
  }
}
