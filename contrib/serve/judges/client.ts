// Uses the client that graphgen writes for the graphs of the world, whose server cuts streams: tsc CLIENT.ts client.ts, node client.js URL.
import assert from 'node:assert/strict'
import { Client, ProblemError, type Event, type Graphs } from './generated.js'

const client = new Client(process.argv[2]!)
const refused = (code: string, field?: string) => (err: unknown) => err instanceof ProblemError && err.problem.code === code && err.problem.field === field

// A stream whose connections are cut has each step once.
const events: Event<Graphs['orders']['output']>[] = []
for await (const e of client.stream('orders', { order: 'A-7' }, { thread: 'a' })) events.push(e)
const ids = events.flatMap(e => e.event === 'step' ? [e.id] : [])
assert.deepEqual(ids, ids.map((_, k) => k + 1))
assert.ok(ids.length > 3, `there are ${ids.length} steps`)
const end = events.at(-1)
assert.ok(end?.event === 'end' && end.data.status === 'paused' && end.data.requests?.[0]?.id === 'approve.1', JSON.stringify(end))

// What it asks is answered once, by an answer that it can have.
const a = client.thread<'orders'>('a')
const [request] = await a.requests()
assert.equal(request?.question, 'Pay 12.5 back for order A-7?')
await assert.rejects(a.answer('approve.1', 'maybe' as 'approve'), refused('invalid', 'answer'))
const done = await a.answer('approve.1', 'approve')
assert.equal(done.status, 'completed')
assert.equal(done.output?.receipt, 'receipt of A-7')
await assert.rejects(a.answer('approve.1', 'approve'), refused('closed'))

// Its past can be read, continued elsewhere and deleted.
assert.equal((await a.read()).status, 'completed')
const { steps } = await a.history(0, 2)
assert.equal(steps.length, 2)
assert.equal((await a.state(steps[1]!.seq)).seq, steps[1]!.seq)
await a.fork('b', steps[1]!.seq, { amount: 5 })
const other = await client.thread<'orders'>('b').recover()
assert.equal(other.status, 'completed')
assert.deepEqual((await client.threads({ graph: 'orders', limit: 10 })).threads.map(t => t.thread).sort(), ['a', 'b'])
const again: string[] = []
for await (const e of a.events(ids.length)) again.push(e.event)
assert.deepEqual([...new Set(again)], ['step', 'end'])
await a.delete()
await assert.rejects(a.read(), refused('not_found', 'thread'))

// A key makes one run, however often it is sent; what an input cannot have is refused by its field.
const one = await client.startInBackground('orders', { order: 'A-8' }, { key: 'k' }), two = await client.startInBackground('orders', { order: 'A-8' }, { key: 'k' })
assert.deepEqual([two.thread, two.run], [one.thread, one.run])
await assert.rejects(client.start('orders', { order: 'x'.repeat(50) }), refused('invalid', 'input.order'))
assert.equal((await client.run('greetings', { name: 'Ann' })).status, 'completed')

// The types refuse what the server would.
export const wrong = [
  // @ts-expect-error: no such graph
  () => client.start('nothing', {}),
  // @ts-expect-error: another type
  () => client.start('orders', { order: 7 }),
  // @ts-expect-error: no such field
  () => client.start('orders', { order: 'A', more: 1 }),
  // @ts-expect-error: its runs are in threads
  () => client.run('orders', { order: 'A' }),
  // @ts-expect-error: its runs are in no thread
  () => client.stream('greetings', { name: 'Ann' }),
  // @ts-expect-error: no answer of the graph
  () => a.answer('approve.1', 'maybe'),
]
