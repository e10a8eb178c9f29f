// The client of LangGraph against the wire langgraph, and against LangGraph's own server: what it is sent is the same.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { Client } from "@langchain/langgraph-sdk";
import { assert, done, piece, refused, url } from "./check.mjs";

const nobody = "00000000-0000-4000-8000-000000000000";

// clientOf returns a client, and what it asks for, with the status of the answer.
function clientOf(apiUrl, token) {
  const log = [];
  const client = new Client({
    apiUrl, defaultHeaders: token ? { Authorization: `Bearer ${token}` } : {},
    callerOptions: {
      maxRetries: 0,
      fetch: async (at, init) => {
        const response = await fetch(at, init);
        const path = String(at).replace(apiUrl, "").replace(/threads\/(?!search|count)[^/?]+/, "threads/T").replace(/runs\/(?!stream|wait)[^/?]+/, "runs/R").replace(/state\/[^/?]+/, "state/S");
        log.push(`${init?.method ?? "GET"} ${path.split("?")[0]} ${response.status}`);
        return response;
      },
    },
  });
  return { client, log };
}

const unnamed = (value) => JSON.parse(JSON.stringify(value, (k, v) => (k === "id" || k === "run_id" ? "…" : v)));
const pick = (value, ...names) => Object.fromEntries(names.filter((n) => value && n in value).map((n) => [n, unnamed(value[n])]));

// script is what a front end does. It returns what it has seen.
async function script({ client: c, log }) {
  const seen = [];
  const see = (name, ...what) => seen.push([name, ...unnamed(what)]);
  const follow = async (name, stream) => {
    for await (const e of stream) see(name, e.event, e.data);
  };
  const status = async (name, promise) => {
    const error = await refused(promise);
    see(name, error.status ?? error.message);
  };

  // A run that waits, and that is resumed.
  const { thread_id: t } = await c.threads.create();
  await follow("start", c.runs.stream(t, "orders", { input: { order: "A-7" }, streamMode: ["values", "updates", "custom"] }));
  const waiting = await c.threads.get(t);
  see("thread", pick(waiting, "status", "values", "metadata").status, waiting.values, Object.values(waiting.interrupts).flat());
  const state = await c.threads.getState(t);
  see("state", state.values, state.next, state.tasks.map((task) => [task.name, task.error, task.interrupts]), state.checkpoint.checkpoint_ns);
  see("runs", (await c.runs.list(t)).map((r) => [r.status, r.multitask_strategy]));
  await follow("resume", c.runs.stream(t, "orders", { command: { resume: "approve" }, streamMode: ["values", "updates", "custom"] }));
  const after = await c.threads.getState(t);
  see("completed", after.values, after.next, after.tasks, (await c.threads.get(t)).status);
  const past = (await c.threads.getHistory(t)).filter((s) => s.metadata.source !== "input");
  see("history", past.map((s) => [s.values, s.next]));
  const then = await c.threads.getState(t, past[1].checkpoint.checkpoint_id);
  see("checkpoint", then.values, then.next);
  see("copy", (await c.threads.getState((await c.threads.copy(t)).thread_id)).values);

  // Runs that are waited for, and runs in the background.
  const { thread_id: u } = await c.threads.create();
  see("wait", await c.runs.wait(u, "orders", { input: { order: "B-1" } }));
  see("approve", await c.runs.wait(u, "orders", { command: { resume: "approve" } }));
  const { thread_id: v } = await c.threads.create();
  const run = await c.runs.create(v, "orders", { input: { order: "C-1" } });
  see("created", run.thread_id === v, typeof run.run_id);
  see("join", await c.runs.join(v, run.run_id));
  see("joined", (await c.runs.get(v, run.run_id)).status);
  await follow("late", c.runs.joinStream(v, run.run_id));
  see("idle", (await c.threads.search({ status: "idle", ids: [t, u, v], limit: 10 })).map((x) => x.values.order).sort());
  see("interrupted", (await c.threads.search({ status: "interrupted", limit: 10, metadata: { graph_id: "orders" }, ids: [t, u, v] })).length);
  await c.threads.delete(v);
  await status("deleted", c.threads.get(v));

  // Answers in pieces.
  const { thread_id: w } = await c.threads.create();
  const texts = {};
  let kind;
  for await (const e of c.runs.stream(w, "desk", { input: { message: "hello there" }, streamMode: ["messages-tuple", "values"] })) {
    if (e.event !== "messages") continue;
    const [m, of] = e.data;
    texts[m.id] = (texts[m.id] ?? "") + m.content;
    kind = [m.type, of.langgraph_node, of.graph_id, of.thread_id === w];
  }
  see("tuples", Object.values(texts), kind);
  let last, meta;
  for await (const e of c.runs.stream(w, "desk", { input: { message: "again" }, streamMode: "messages" })) {
    if (e.event === "messages/metadata") meta = Object.values(e.data)[0].metadata.langgraph_node;
    if (e.event === "messages/partial") last = e.data;
  }
  see("messages", last.map((m) => pick(m, "type", "content", "tool_calls")), meta);

  // Two interrupts at the same time, answered by their IDs.
  const { thread_id: b } = await c.threads.create();
  const asked = [];
  for await (const e of c.runs.stream(b, "desk", { input: { message: "both" }, streamMode: ["updates"] }))
    if (e.data.__interrupt__) asked.push(...e.data.__interrupt__);
  see("two", asked.map((i) => i.value));
  const both = await c.threads.getState(b);
  see("tasks", both.next, both.tasks.map((task) => [task.name, task.interrupts.length]));
  const resume = Object.fromEntries(asked.map((i) => [i.id, "approve"]));
  see("agreed", (await c.runs.wait(b, "desk", { command: { resume } })).reply);

  // A run that is stopped, and what is refused meanwhile.
  const { thread_id: s } = await c.threads.create();
  const slow = await c.runs.create(s, "desk", { input: { message: "wait" } });
  while ((await c.threads.get(s)).status !== "busy") await new Promise((r) => setTimeout(r, 20));
  await status("busy", c.runs.wait(s, "desk", { input: { message: "no" }, multitaskStrategy: "reject" }));
  await c.runs.cancel(s, slow.run_id, true);
  while ((await c.threads.get(s)).status === "busy") await new Promise((r) => setTimeout(r, 20));
  const { thread_id: k } = await c.threads.create();
  const replaced = await c.runs.create(k, "desk", { input: { message: "wait" } });
  while ((await c.threads.get(k)).status !== "busy") await new Promise((r) => setTimeout(r, 20));
  see("rollback", pick(await c.runs.wait(k, "desk", { input: { message: "instead" }, multitaskStrategy: "rollback" }), "message", "reply"), replaced.thread_id === k);
  see("replaced", pick((await c.threads.getState(k)).values, "message", "reply"), (await c.threads.get(k)).status);
  see("cancelled", ["interrupted", "error"].includes((await c.runs.get(s, slow.run_id)).status)); // LangGraph's own is one or the other

  // What there is not.
  await status("no assistant", c.runs.wait(t, "nobody", { input: {} }));
  await status("no thread", c.threads.get(nobody));
  await status("no state", c.threads.getState(nobody));
  await status("no history", c.threads.getHistory(nobody));
  await status("no run", c.runs.get(t, nobody));
  see("assistants", (await c.assistants.search()).map((a) => a.graph_id).filter((g) => g !== "greetings").sort(), (await c.assistants.search({ graphId: "orders" })).length);
  return { seen, log: log.filter((line, i) => line !== log[i - 1] || !line.startsWith("GET /threads/T ")) };
}

// oracle starts LangGraph's server.
async function oracle() {
  const port = await new Promise((resolve) => {
    const s = createServer().listen(0, "127.0.0.1", () => { const { port } = s.address(); s.close(() => resolve(port)); });
  });
  rmSync(".langgraph_api", { recursive: true, force: true }); // what another one has saved
  const child = spawn(process.execPath, ["--import", "tsx", "langgraph-oracle.mjs", "serve", String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (data) => { if ((text += data).includes("listening on")) resolve(); });
    child.on("exit", () => reject(new Error("LangGraph's server has ended: " + text)));
  });
  return { child, url: `http://127.0.0.1:${port}` };
}

const ours = await script(clientOf(url + "/langgraph"));
const theirs = await oracle();
try {
  const want = await script(clientOf(theirs.url));
  for (const [i, line] of want.seen.entries()) assert.deepEqual(ours.seen[i], line, `line ${i}`);
  assert.equal(ours.seen.length, want.seen.length);
  assert.deepEqual(ours.log, want.log);
  console.log(`${want.log.length} requests and ${want.seen.length} lines are the same`);
} finally {
  theirs.child.kill();
}

// What LangGraph's server has no graph for.
const { client: c } = clientOf(url + "/langgraph");
const asks = async (message) => {
  const { thread_id } = await c.threads.create();
  const end = await c.runs.wait(thread_id, "desk", { input: { messages: [{ type: "human", content: message }] } });
  return { thread: thread_id, asked: end.__interrupt__?.[0], resume: (resume) => c.runs.wait(thread_id, "desk", { command: { resume } }) };
};
const decides = (decision) => ({ decisions: [decision] });
{
  const paid = await asks("refund");
  const [action] = paid.asked.value.action_requests;
  assert.deepEqual([action.name, action.args], ["refund", { order: "A-7", amount: 20 }]);
  assert.deepEqual(paid.asked.value.review_configs, [{ action_name: "refund", allowed_decisions: ["approve", "edit", "reject"] }]);
  const wrong = await refused(paid.resume(decides({ type: "edit", edited_action: { name: "refund", args: { order: "B-8", amount: 1000 } } })));
  assert.equal(wrong.status, 422);
  const end = await paid.resume(decides({ type: "edit", edited_action: { name: "refund", args: { order: "B-8", amount: 30 } } }));
  assert.match(end.reply, /paid$/);
  assert.deepEqual((await done()).filter((d) => d.startsWith("refund")), ["refund B-8"]);
  assert.deepEqual(end.turns.map((m) => m.type), ["human", "ai", "tool", "ai"]);
  assert.equal((await refused(paid.resume("approve"))).status, 422); // nothing is open
  const denied = await asks("refund");
  assert.match((await denied.resume(decides({ type: "reject", message: "not today" }))).reply, /not today/);
  const found = await asks("where");
  assert.equal(found.asked.value.kind, "client_tool");
  assert.equal((await refused(found.resume({ city: 7 }))).status, 422);
  assert.match((await found.resume({ city: "Rome" })).reply, /Rome/);
  const named = await asks("ask");
  assert.equal((await named.resume("Ann")).reply, "named Ann");
  const rated = await asks("rate");
  assert.equal((await refused(rated.resume({ stars: 9 }))).status, 422);
  assert.equal((await rated.resume({ stars: 5 })).stars, 5);
  const signed = await asks("sign");
  assert.equal((await signed.resume(false)).reply, "withdrawn");
  const posted = await asks("post");
  assert.equal(posted.asked.value.kind, "interrupt");
  assert.equal((await c.runs.wait(posted.thread, "desk", { input: null })).reply, "posted");
}

// A stream that is followed from an event on, and from its first one.
{
  const { thread_id } = await c.threads.create();
  const all = [];
  let run;
  for await (const e of c.runs.stream(thread_id, "orders", { input: { order: "A-7" }, streamMode: ["values", "updates"], onRunCreated: (r) => { run = r.run_id; } })) all.push(e);
  const from = all.findIndex((e) => e.id);
  const rest = [];
  for await (const e of c.runs.joinStream(thread_id, run, { lastEventId: all[from].id, streamMode: ["values", "updates"] })) rest.push(e);
  assert.deepEqual(rest.map((e) => [e.event, e.data]), all.slice(from + 1).map((e) => [e.event, e.data]));
  const again = [];
  for await (const e of c.runs.joinStream(thread_id, run, { lastEventId: "-1", streamMode: ["values", "updates"] })) again.push(e);
  assert.deepEqual(again.map((e) => e.data), all.slice(1).map((e) => e.data));
  assert.deepEqual((await c.threads.getHistory(thread_id, { limit: 1, before: (await c.threads.getHistory(thread_id))[0].checkpoint })).map((s) => s.next), [["size"]]);
}

// A connection that is lost, after the first event that has a number: the client continues by itself, and has each event once.
{
  const asked = [];
  const cut = async (at, init) => {
    const response = await fetch(at, init);
    asked.push(`${init?.method ?? "GET"} ${new URL(at).pathname.replace("/langgraph", "").split("/").filter((part, i) => i !== 2 && i !== 4).join("/")}`);
    if (asked.length !== 2) return response; // the second one is the stream
    let text = "", lost = false;
    const decoder = new TextDecoder();
    const body = response.body.pipeThrough(new TransformStream({
      async transform(chunk, controller) {
        if (lost) return;
        text += decoder.decode(chunk, { stream: true });
        const end = text.indexOf("\n\n", text.indexOf("\nid: 2") + 1);
        if (!text.includes("id: 2\n") || end < 0) return;
        lost = true;
        controller.enqueue(new TextEncoder().encode(text.slice(0, end + 2)));
        await new Promise((read) => setTimeout(read, 50));
        controller.error(new TypeError("network error"));
      },
    }));
    return new Response(body, { status: response.status, headers: response.headers });
  };
  const client = new Client({ apiUrl: url + "/langgraph", callerOptions: { maxRetries: 0, fetch: cut } });
  const { thread_id } = await client.threads.create();
  const seen = [];
  for await (const e of client.runs.stream(thread_id, "orders", { input: { order: "A-7" }, streamMode: ["values", "updates"] })) seen.push(e.event);
  assert.equal(asked.length, 3, asked.join(", "));
  assert.deepEqual(seen, ["metadata", "values", "updates", "values", "updates", "updates", "updates", "values"]);
}

// Runs without a thread, other tenants, and what is not carried.
{
  assert.equal((await c.runs.wait(null, "greetings", { input: { name: "Ann" } })).reply, "You wrote: Ann");
  const { thread_id } = await c.threads.create();
  await c.runs.wait(thread_id, "orders", { input: { order: "A-7" } });
  const other = clientOf(url + "/langgraph", "other").client;
  assert.equal((await refused(other.threads.getState(thread_id))).status, 404);
  assert.equal((await refused(other.runs.wait(thread_id, "orders", { command: { resume: "approve" } }))).status, 404);
  assert.deepEqual(await other.threads.search(), []);
  for (const asked of [
    { checkpointId: "1" }, { command: { goto: "pay" } }, { interruptBefore: ["pay"] }, { streamMode: "debug" },
    { webhook: "https://example.com" }, { afterSeconds: 5 },
  ])
    assert.equal((await refused(c.runs.wait(thread_id, "orders", { input: { order: "A-7" }, ...asked }))).status, 422, JSON.stringify(asked));
  assert.equal((await refused(c.runs.wait(thread_id, "orders", { input: { order: "A-7", owner: "ann" } }))).status, 422); // a private field
  assert.equal((await refused(c.threads.updateState(thread_id, { values: {} }))).status, 405);
  assert.equal((await refused(c.store.getItem(["a"], "k"))).status, 404);
}
process.exit(0);
