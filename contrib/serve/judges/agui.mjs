// An HttpAgent of AG-UI against the wire agui, and a check that every patch of the state applies, which it does not make.
import { HttpAgent } from "@ag-ui/client";
import { assert, done, refused, url } from "./check.mjs";

// apply applies an operation of RFC 6902, as this wire has them. What does not apply is an error.
function apply(doc, { op, path, value }) {
  assert.equal(op, "add");
  const [first, ...rest] = path.split("/");
  assert.equal(first, "");
  const keys = rest.map((k) => k.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = keys.pop();
  let at = doc;
  for (const k of keys) {
    assert.ok(Object.hasOwn(at, k), `${path} leads nowhere`);
    at = at[k];
  }
  if (Array.isArray(at)) {
    assert.equal(last, "-");
    at.push(value);
  } else {
    at[last] = value;
  }
}

class Client {
  constructor(threadId, { path = "/agui/desk", token } = {}) {
    this.agent = new HttpAgent({ url: url + path, threadId, headers: token ? { Authorization: `Bearer ${token}` } : {} });
    this.runs = 0;
  }
  // run makes a run, and checks what the client does not: the patches.
  async run(parameters = {}) {
    this.events = [];
    this.interrupts = [];
    this.custom = [];
    let doc = structuredClone(this.agent.state);
    let patches = 0;
    const result = await this.agent.runAgent({ runId: `r${++this.runs}`, ...parameters }, {
      onEvent: ({ event }) => { this.events.push(event.type); },
      onStateSnapshotEvent: ({ event }) => { doc = structuredClone(event.snapshot); },
      onStateDeltaEvent: ({ event }) => { for (const operation of event.delta) { apply(doc, operation); patches++; } },
      onCustomEvent: ({ event }) => { this.custom.push(event.value); },
      onRunFinishedEvent: ({ event }) => { this.outcome = event.outcome; this.interrupts = event.outcome?.interrupts ?? []; },
      onRunErrorEvent: ({ event }) => { this.error = event; },
    });
    assert.deepEqual(this.agent.state, doc, "the client has the state that the patches make");
    this.patches = patches;
    return result;
  }
  async say(content) {
    this.agent.addMessage({ id: `u${this.agent.messages.length}`, role: "user", content });
    return this.run();
  }
  resume(payload, status = "resolved") {
    return this.run({ resume: this.interrupts.map((i) => ({ interruptId: i.id, status, ...(status === "resolved" ? { payload } : {}) })) });
  }
  get text() { return this.agent.messages.at(-1).content; }
}

const steps = (events) => events.filter((e) => e.startsWith("STEP_"));

// A text in pieces, the steps, the state, the result.
{
  const c = new Client("plain");
  const { result, newMessages } = await c.say("hello there");
  assert.deepEqual(result, { reply: "You wrote: hello there", stars: 0 });
  assert.equal(newMessages.length, 1);
  assert.equal(c.text, "You wrote: hello there");
  assert.deepEqual(steps(c.events), ["STEP_STARTED", "STEP_FINISHED", "STEP_STARTED", "STEP_FINISHED"]);
  assert.equal(c.agent.state.reply, "You wrote: hello there");
  assert.equal(c.agent.state.tenant, undefined, "private fields are not sent");
  assert.equal(c.agent.state.turns.length, 2);
  assert.ok(c.patches > 1);
  await c.say("again\r\n\r\ndata: {}\r\n\r\n<script>");
  assert.equal(c.text, "You wrote: again\r\n\r\ndata: {}\r\n\r\n<script>");
  assert.equal(c.agent.state.turns.length, 4, "the thread keeps the conversation");
  const greeting = new Client("x", { path: "/agui/greetings" });
  await greeting.say("Ann");
  assert.equal(greeting.text, "You wrote: Ann");
}

// A decision.
for (const [payload, status, reply] of [["approve", "resolved", "signed"], [true, "resolved", "signed"], [{ approved: false }, "resolved", "withdrawn"], [undefined, "cancelled", "withdrawn"]]) {
  const c = new Client(`sign-${JSON.stringify(payload) ?? status}`);
  await c.say("sign");
  assert.equal(c.outcome.type, "interrupt");
  assert.equal(c.interrupts.length, 1);
  const [i] = c.interrupts;
  assert.deepEqual([i.reason, i.message, i.responseSchema], ["decision", "Sign sign?", { enum: ["approve", "deny"] }]);
  await c.resume(payload, status);
  assert.equal(c.text, reply);
  assert.equal(c.agent.state.reply, reply);
}

// A tool that a person approves, twice answered, and answered late.
{
  const c = new Client("refund");
  await c.say("refund");
  const before = c.interrupts;
  const call = c.agent.messages.at(-1).toolCalls[0];
  assert.equal(before[0].toolCallId, call.id);
  assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], ["refund", { order: "A-7", amount: 20 }]);
  await c.resume({ decision: "approve", arguments: { order: "A-7", amount: 5 } });
  assert.match(c.text, /changed the arguments of the call to .*"amount":5.*paid$/s);
  assert.deepEqual(await done(), ["refund A-7"]);
  const resume = before.map((i) => ({ interruptId: i.id, status: "resolved", payload: "approve" }));
  const again = new Client("refund");
  const error = await refused(again.run({ resume }));
  assert.equal(error.status, 409);
  assert.equal(error.payload.type, "RUN_ERROR");
  assert.equal(error.payload.code, "closed");
  await c.say("refund"); // the request has the same ID in this run
  assert.equal((await refused(new Client("refund").run({ resume }))).status, 409);
  await c.resume({ approved: false, reason: "it was used" });
  assert.match(c.text, /it was used/);
  assert.deepEqual(await done(), ["refund A-7"]);
}

// A tool of the client is a call that the next run answers, also beside an approval.
{
  const c = new Client("where");
  await c.say("where");
  assert.equal(c.outcome.type, "success");
  const [id] = c.outcome.pendingToolCallIds;
  assert.equal(c.agent.messages.at(-1).toolCalls[0].id, id);
  c.agent.addMessage({ id: "t1", role: "tool", toolCallId: id, content: JSON.stringify({ city: 7 }) });
  const error = await refused(c.run());
  assert.deepEqual([error.status, error.payload.code], [422, "invalid"]);
  c.agent.messages.pop();
  c.agent.addMessage({ id: "t2", role: "tool", toolCallId: id, content: JSON.stringify({ city: "Bonn" }) });
  await c.run();
  assert.match(c.text, /Bonn/);
  const two = new Client("two");
  await two.say("two");
  assert.equal(two.outcome.type, "interrupt");
  const located = two.agent.messages.flatMap((m) => m.toolCalls ?? []).find((t) => t.function.name === "locate");
  two.agent.addMessage({ id: "t3", role: "tool", toolCallId: located.id, content: "", error: "it is off" });
  await two.resume("approve");
  assert.match(two.text, /it is off/);
}

// Replies, of a text and of a struct, and a message with data.
{
  const c = new Client("ask");
  await c.say("ask");
  assert.deepEqual(c.interrupts[0].responseSchema, { type: "string" });
  await c.resume("Ann");
  assert.equal(c.text, "named Ann");
  assert.deepEqual(c.custom, [{ node: "greeted", payload: { name: "Ann" } }]);
  const rate = new Client("rate");
  await rate.say("rate");
  assert.equal(rate.interrupts[0].responseSchema.properties.stars.maximum, 5);
  const saved = rate.interrupts;
  const error = await refused(rate.resume({ stars: 9 }));
  assert.equal(error.status, 422);
  assert.match(error.payload.message, /^invalid: answer\.stars: /);
  rate.interrupts = saved;
  await rate.resume({ stars: 5 });
  assert.equal(rate.agent.state.stars, 5);
}

// An interrupt, and two questions of branches.
{
  const c = new Client("post");
  await c.say("post");
  assert.equal(c.interrupts[0].reason, "interrupt");
  const saved = c.interrupts;
  assert.equal((await refused(c.resume(undefined, "cancelled"))).status, 422);
  c.interrupts = saved;
  await c.resume("continue");
  assert.equal(c.text, "posted");
  const both = new Client("both", { path: "/live/agui/desk" });
  await both.say("both");
  assert.equal(both.interrupts.length, 2);
  await both.resume("approve");
  assert.equal(both.text, "agreed");
}

// What is refused.
{
  const c = new Client("mine", { token: "mine" });
  await c.say("sign");
  const resume = c.interrupts.map((i) => ({ interruptId: i.id, status: "resolved", payload: "approve" }));
  assert.equal((await refused(new Client("mine", { token: "theirs" }).run({ resume }))).status, 404);
  assert.equal((await refused(new Client("a", { token: "nobody" }).say("hello"))).status, 401);
  assert.equal((await refused(new Client("a", { path: "/agui/nothing" }).say("hello"))).status, 404);
  const error = await refused(new Client("long").say("x".repeat(5000)));
  assert.match(error.payload.message, /^invalid: input\.message: /);
  const failed = new Client("fail");
  await failed.say("fail").catch(() => {});
  assert.deepEqual([failed.error.code, failed.error.message], ["failed", "failed: help: The run has failed at a node."]);
  await c.resume("approve");
  assert.equal(c.text, "signed");
}
