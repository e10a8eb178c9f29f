/** A problem of RFC 9457. */
export interface Problem { type: string; title?: string; status: number; code: string; detail?: string; field?: string }
/** What a run asks of a person, or of its caller. The member answer is the JSON Schema of the answer. */
export interface Request { id: string; kind?: string; node?: string; question?: string; tool?: string; arguments?: unknown; choices?: string[]; answer: unknown; deadline?: string }
export type Decision = 'approve' | 'deny'
/** An answer about a call of a tool, whose arguments a person may change. */
export type Approval<A> = Decision | { decision: Decision; reason?: string; arguments?: A }
/** How a run has ended, or that it waits or works. */
export interface Outcome<O = unknown> {
  thread?: string; run?: string; status: 'completed' | 'paused' | 'stopped' | 'failed' | 'running'; output?: O; requests?: Request[]; problem?: Problem
}
export interface ThreadInfo { thread: string; graph: string; status: string; updated: string; failure?: string; seq?: number; requests?: Request[] }
/** Something that happened in a run: kind says what. */
export interface Live { kind: string; run?: string; thread?: string; node?: string; step?: number; text?: string; [member: string]: unknown }
/** A saved step. */
export interface Step { seq: number; time: string; ended?: string; [member: string]: unknown }
/** What a stream has: a saved step has a number, by which it is found again; what happens between steps has none. */
export type Event<O = unknown> =
  | { event: 'step'; id: number; data: Step } | { event: 'live'; data: Live } | { event: 'end'; data: Outcome<O> } | { event: 'reset' }
export interface StartOptions { thread?: string; multitask?: 'reject' | 'enqueue' | 'interrupt' | 'rollback'; key?: string; signal?: AbortSignal }
export interface Page { graph?: string; status?: string; prefix?: string; after?: string; limit?: number }

/** An answer of the server that is a problem. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) { super(`${problem.code}${problem.field ? ` (${problem.field})` : ''}: ${problem.detail ?? problem.title ?? problem.status}`) }
}

type Init = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }

/** A client of a server of contrib/serve, at a URL. The headers, such as Authorization, are sent with each request. */
export class Client {
  constructor(readonly url: string, readonly headers: Record<string, string> = {}, readonly fetch: typeof globalThis.fetch = globalThis.fetch.bind(globalThis)) {}
  /** Makes a run in a thread, and waits until it ends or asks. */
  start<G extends DurableGraph>(graph: G, input: Graphs[G]['input'], o: StartOptions = {}): Promise<Outcome<Graphs[G]['output']>> {
    return this.json('POST', `/graphs/${encodeURIComponent(graph)}/threads`, this.begin(input, o, { Prefer: 'wait' }))
  }
  /** Begins a run in a thread, which continues without this client. */
  startInBackground<G extends DurableGraph>(graph: G, input: Graphs[G]['input'], o: StartOptions = {}): Promise<Outcome<Graphs[G]['output']>> {
    return this.json('POST', `/graphs/${encodeURIComponent(graph)}/threads`, this.begin(input, o, {}))
  }
  /** Makes a run in a thread, and yields its events. A connection that ends is made again: no step is missed or repeated. */
  async *stream<G extends DurableGraph>(graph: G, input: Graphs[G]['input'], o: StartOptions = {}): AsyncGenerator<Event<Graphs[G]['output']>> {
    const thread = o.thread ?? crypto.randomUUID()
    const begun = await this.send('POST', `/graphs/${encodeURIComponent(graph)}/threads`, this.begin(input, { ...o, thread }, { Accept: 'text/event-stream' }))
    yield* this.thread<G>(thread).follow(begun, o.signal)
  }
  /** Makes a run that is in no thread. */
  run<G extends PlainGraph>(graph: G, input: Graphs[G]['input'], signal?: AbortSignal): Promise<Outcome<Graphs[G]['output']>> {
    return this.json('POST', `/graphs/${encodeURIComponent(graph)}/runs`, { body: JSON.stringify({ input }), signal: signal ?? null })
  }
  thread<G extends DurableGraph = DurableGraph>(name: string): Thread<G> { return new Thread<G>(this, name) }
  threads(page: Page = {}): Promise<{ threads: ThreadInfo[]; next?: string }> {
    return this.json('GET', `/threads?${new URLSearchParams(Object.entries(page).map(([k, v]) => [k, String(v)]))}`)
  }
  private begin(input: unknown, o: StartOptions, headers: Record<string, string>): Init {
    if (o.key) headers['Idempotency-Key'] = o.key
    return { headers, body: JSON.stringify({ input, thread: o.thread, multitask: o.multitask }), signal: o.signal ?? null }
  }
  async json<T>(method: string, path: string, init: Init = {}): Promise<T> {
    const r = await this.send(method, path, init)
    return (r.status === 204 ? undefined : await r.json()) as T
  }
  async send(method: string, path: string, init: Init = {}): Promise<Response> {
    const json = init.body === undefined ? {} : { 'Content-Type': 'application/json' }
    const r = await this.fetch(this.url + path, { ...init, method, headers: { ...json, ...this.headers, ...init.headers } })
    if (r.ok) return r
    const text = await r.text()
    let problem: Problem = { type: 'about:blank', status: r.status, code: 'http', detail: text.slice(0, 200) }
    if (r.headers.get('Content-Type')?.startsWith('application/problem+json')) problem = JSON.parse(text)
    throw new ProblemError(problem)
  }
}

/** A thread of a server. */
export class Thread<G extends DurableGraph = DurableGraph> {
  readonly path: string
  constructor(readonly client: Client, readonly name: string) { this.path = `/threads/${encodeURIComponent(name)}` }
  read(): Promise<ThreadInfo> { return this.client.json('GET', this.path) }
  async requests(): Promise<Request[]> { return (await this.client.json<{ requests: Request[] }>('GET', `${this.path}/requests`)).requests }
  /** Answers a request, and waits until the run ends or asks again. */
  answer(request: string, value: Graphs[G]['answer']): Promise<Outcome<Graphs[G]['output']>> {
    return this.client.json('POST', `${this.path}/requests/${encodeURIComponent(request)}`, { headers: { Prefer: 'wait' }, body: JSON.stringify(value) })
  }
  /** Yields the steps after a number, and what follows, until the run ends or asks. */
  async *events(after = 0, signal?: AbortSignal): AsyncGenerator<Event<Graphs[G]['output']>> { yield* this.follow(undefined, signal, after) }
  history(after = 0, limit = 100): Promise<{ steps: Step[]; next?: number }> { return this.client.json('GET', `${this.path}/history?after=${after}&limit=${limit}`) }
  state(at = 0): Promise<{ thread: string; seq: number; runs: unknown[] }> { return this.client.json('GET', `${this.path}/state${at ? `?at=${at}` : ''}`) }
  recover(): Promise<Outcome<Graphs[G]['output']>> { return this.client.json('POST', `${this.path}/recover`, { headers: { Prefer: 'wait' } }) }
  stop(): Promise<unknown> { return this.client.json('POST', `${this.path}/stop`) }
  fork(to: string, at?: number, set?: Record<string, unknown>): Promise<unknown> { return this.client.json('POST', `${this.path}/fork`, { body: JSON.stringify({ to, at, set }) }) }
  delete(): Promise<void> { return this.client.json('DELETE', this.path) }

  /** Follows a response, and others after its connection ends. */
  async *follow(first?: Response, signal?: AbortSignal, last = 0): AsyncGenerator<Event<Graphs[G]['output']>> {
    for (let wait = 250; ; wait = Math.min(2 * wait, 10_000)) {
      try {
        const r = first ?? await this.client.send('GET', `${this.path}/events`, { headers: { 'Last-Event-ID': String(last) }, signal: signal ?? null })
        for await (const e of parse<Graphs[G]['output']>(r)) {
          if (e.event === 'step') [last, wait] = [e.id, 250]
          yield e
          if (e.event === 'end' || e.event === 'reset') return
        }
      } catch (err) {
        const passes = err instanceof ProblemError ? [429, 503].includes(err.problem.status) : err instanceof TypeError
        if (signal?.aborted || !passes) throw err
      }
      first = undefined
      await new Promise(done => setTimeout(done, wait))
    }
  }
}

/** Reads server-sent events. */
async function* parse<O>(r: Response): AsyncGenerator<Event<O>> {
  let rest = ''
  const reader = r.body!.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const events = (rest + part.value).split('\n\n')
      rest = events.pop()!
      for (const text of events) {
        const of = new Map(text.split('\n').map(line => line.split(/: (.*)/s) as [string, string]))
        const data = of.has('data') ? JSON.parse(of.get('data')!) : undefined
        switch (of.get('event')) {
          case 'problem': throw new ProblemError(data)
          case 'step': yield { event: 'step', id: Number(of.get('id')), data }; break
          case 'live': case 'end': case 'reset': yield { event: of.get('event'), data } as Event<O>
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
