import { exactly } from './exact.mjs'

// Where events of runs come from. A source gives pages of events, one after the other, and a part of them once more.

/** Lines are events as JSON lines. Of several runs, those of one are given: of the one with the ID, or of the first. */
export class Lines {
  /** part returns a stream of the bytes from an offset to another, or to the end. */
  constructor(part, id = '') {
    Object.assign(this, { part, id, others: new Set(), known: [], count: 0, line: 0 })
  }

  /** pages gives what there is, as events and the number of bytes that they have. */
  async *pages() {
    let rest = new Uint8Array(0), from = 0
    for await (const chunk of chunks(await this.part(0))) {
      const end = chunk.lastIndexOf(10) + 1
      if (!end) {
        rest = joined(rest, chunk)
        continue
      }
      const bytes = joined(rest, chunk.subarray(0, end))
      rest = chunk.slice(end)
      yield this.page(bytes, from)
      from += bytes.length
    }
    if (rest.length) yield this.page(rest, from)
  }
  page(bytes, from) {
    const events = this.read(bytes, true)
    this.known.push({ from, to: from + bytes.length, first: this.count })
    this.count += events.length
    return { events, size: bytes.length }
  }
  /** read returns the events of a run that lines have. */
  read(bytes, counts) {
    const events = []
    for (const line of new TextDecoder().decode(bytes).split('\n')) {
      if (counts) this.line++
      if (!line.trim()) continue
      let e
      try { e = exactly(line) } catch { throw new NoEvents(this.line) }
      if (!e?.kind || !e.run) throw new NoEvents(this.line)
      if (!this.id && !e.within) this.id = e.run
      if (e.run === this.id || e.within && e.run.startsWith(this.id + '/')) events.push(e)
      else if (!e.within && this.others.size < 100) this.others.add(e.run)
    }
    return events
  }

  /** again returns events from an index on, at least up to another, with the index of the first; undefined: it has not given them. */
  async again(from, to) {
    if (from >= this.count) return undefined
    const all = this.known, at = all.findLastIndex(p => p.first <= from), last = all.findLastIndex(p => p.first <= to)
    const got = []
    for await (const chunk of chunks(await this.part(all[at].from, all[last].to))) got.push(chunk)
    return { first: all[at].first, events: this.read(got.reduce(joined, new Uint8Array(0)), false) }
  }
}

/** A ThreadRun is the last run of a thread of a server. */
export class ThreadRun {
  /** ask returns what the server has at a path, and the number of its bytes. */
  constructor(ask) { Object.assign(this, { ask, known: [], count: 0, seq: 0 }) }

  async *pages() {
    for (let query = ''; query !== undefined;) {
      const [page, size] = await this.ask(query)
      this.known.push({ query, first: this.count })
      this.count += page.events.length
      this.seq = page.seq
      query = page.next ? `?begin=${page.begin}&after=${page.next}` : undefined
      yield { events: page.events, size }
    }
  }
  async again(from, to) {
    if (from >= this.count) return undefined
    const at = this.known.findLastIndex(p => p.first <= from), last = this.known.findLastIndex(p => p.first <= to), events = []
    for (const p of this.known.slice(at, last + 1)) events.push(...(await this.ask(p.query))[0].events)
    return { first: this.known[at].first, events }
  }
}

/** NoEvents is a line that is no event. */
export class NoEvents extends Error {
  constructor(line) { super(`Line ${line} is not an event as JSON: a recording has one on each line.`); this.line = line }
}

async function *chunks(stream) {
  const reader = stream.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally { reader.cancel().catch(() => {}) }
}
function joined(a, b) {
  if (!a.length) return b
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
