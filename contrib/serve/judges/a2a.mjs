// A client of A2A 1.0 against the wire a2a.
import { Role, TaskState } from "@a2a-js/sdk";
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
import { assert, done, piece, refused, url } from "./check.mjs";

// clientOf returns a client for a graph, with a token.
async function clientOf(token, path = "/a2a/desk/") {
  const fetchImpl = (at, init) => fetch(at, { ...init, headers: { ...init?.headers, Authorization: `Bearer ${token}` } });
  const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl })], cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }));
  return factory.createFromUrl(url + path);
}

const client = await clientOf("t");
let ids = 0;
const textPart = (value) => ({ content: { $case: "text", value }, metadata: {}, filename: "", mediaType: "" });
const dataPart = (value) => ({ content: { $case: "data", value }, metadata: {}, filename: "", mediaType: "application/json" });
const params = (part, { contextId = "", taskId = "" } = {}) => ({
  tenant: "", configuration: undefined, metadata: {},
  message: { messageId: `m${++ids}`, role: Role.ROLE_USER, parts: [part], contextId, taskId, metadata: {}, extensions: [], referenceTaskIds: [] },
});
const taskOf = (result) => result.payload?.value ?? result.task ?? result;
const say = async (text, at, by = client) => taskOf(await by.sendMessage(params(typeof text === "string" ? textPart(text) : dataPart(text), at)));
const output = (task) => task.artifacts.find((a) => a.artifactId === "output").parts[0].content.value;
const at = (task) => ({ contextId: task.contextId, taskId: task.id });

// A text, its data, and the next message of the context.
{
  const card = await client.getAgentCard();
  assert.equal(card.name, "desk");
  const task = await say("hello there");
  assert.equal(task.status.state, TaskState.TASK_STATE_COMPLETED);
  assert.equal(output(task), "You wrote: hello there");
  assert.deepEqual(task.artifacts[0].parts[1].content.value, { reply: "You wrote: hello there", stars: 0 });
  const next = await say("again", { contextId: task.contextId });
  assert.equal(next.contextId, task.contextId);
  assert.notEqual(next.id, task.id);
  const typed = await say({ message: "typed" });
  assert.equal(output(typed), "You wrote: typed");
  assert.equal((await client.getTask({ tenant: "", id: typed.id })).status.state, TaskState.TASK_STATE_COMPLETED);
}

// What a run asks.
for (const [text, answer, reply] of [
  ["sign", "approve", "signed"], ["sign", "deny", "withdrawn"], ["refund", "approve", "The desk heard: paid"], ["ask", "Ann", "named Ann"],
  ["rate", { stars: 5 }, "rated"], ["where", { city: "Bonn" }, 'The desk heard: {"city":"Bonn"}'], ["post", "continue", "posted"],
]) {
  const task = await say(text);
  assert.equal(task.status.state, TaskState.TASK_STATE_INPUT_REQUIRED);
  assert.equal(task.status.message.parts[1].content.value.requests.length, 1);
  const ended = await say(answer, at(task));
  assert.equal(ended.id, task.id);
  assert.equal(output(ended), reply);
  const error = await refused(say(answer, at(task)));
  assert.match(error.message, /closed: /);
}
assert.deepEqual(await done(), ["refund A-7", "post"]);
{
  const two = await say("two");
  const [refund, locate] = two.status.message.parts[1].content.value.requests.map((r) => r.id);
  assert.match((await refused(say({ [refund]: "approve", [locate]: { city: 7 } }, at(two)))).message, /invalid: answer.city/);
  assert.match(output(await say({ [refund]: "approve", [locate]: { city: "Bonn" } }, at(two))), /Bonn/);
  const rate = await say("rate");
  assert.match((await refused(say({ stars: 9 }, at(rate)))).message, /invalid: answer.stars/);
  assert.equal(output(await say({ stars: 5 }, at(rate))), "rated");
}

// Streams, a task that is followed from elsewhere, and one that is stopped.
async function all(stream) {
  const events = [];
  for await (const e of stream) events.push(e.payload);
  return events;
}
{
  const events = await all(client.sendMessageStream(params(textPart("in pieces"))));
  assert.equal(events[0].$case, "task");
  const pieces = events.filter((e) => e.$case === "artifactUpdate" && e.value.artifact.artifactId !== "output");
  assert.equal(pieces.map((e) => e.value.artifact.parts[0].content.value).join(""), "You wrote: in pieces");
  assert.equal(events.at(-1).value.status.state, TaskState.TASK_STATE_COMPLETED);
  const asked = await all(client.sendMessageStream(params(textPart("sign"))));
  assert.equal(asked.at(-1).value.status.state, TaskState.TASK_STATE_INPUT_REQUIRED);
  const live = await clientOf("t", "/live/a2a/desk/");
  let id, last, followed;
  for await (const e of live.sendMessageStream(params(textPart("slow words")))) {
    last = e.payload;
    if (last.$case === "task") {
      id = last.value.id;
      await piece();
    }
    if (last.$case === "artifactUpdate" && !followed) {
      followed = live.resubscribeTask({ tenant: "", id });
      assert.equal((await followed.next()).value.payload.$case, "task");
      assert.equal((await live.cancelTask({ tenant: "", id })).status.state, TaskState.TASK_STATE_CANCELED);
      assert.equal((await all(followed)).at(-1).value.status.state, TaskState.TASK_STATE_CANCELED);
    }
  }
  assert.equal(last.value.status.state, TaskState.TASK_STATE_CANCELED);
}

// What is refused.
{
  const task = await say("sign");
  const theirs = await clientOf("theirs");
  assert.match((await refused(theirs.getTask({ tenant: "", id: task.id }))).message, /not_found|not found/i);
  assert.match((await refused(say("approve", at(task), theirs))).message, /not_found|not found/i);
  await refused(clientOf("nobody"));
  await refused(clientOf("t", "/a2a/nothing/"));
  const failed = await say("fail");
  assert.equal(failed.status.state, TaskState.TASK_STATE_FAILED);
  assert.equal(failed.status.message.parts[0].content.value, "failed: help: The run has failed at a node.");
  await refused(client.cancelTask({ tenant: "", id: task.id }));
  assert.equal(output(await say("approve", at(task))), "signed");
}
