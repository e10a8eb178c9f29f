// The client of OpenAI against the wire openai: chat completions and responses, streamed and not.
import OpenAI from "openai";
import { assert, done, piece, refused, url } from "./check.mjs";

const clientOf = (token, path = "/openai/v1") => new OpenAI({ baseURL: url + path, apiKey: token, maxRetries: 2 });
const client = clientOf("t");
const model = "desk";
const user = (content) => ({ role: "user", content });

// ask makes a chat completion, and both streams it.
async function ask(messages, stream, more = {}) {
  if (!stream) return (await client.chat.completions.create({ model, messages, ...more })).choices[0];
  const runner = client.chat.completions.stream({ model, messages, ...more });
  return (await runner.finalChatCompletion()).choices[0];
}

// answered returns the messages with the answers to the calls of a choice.
const answered = (messages, choice, ...outputs) => [
  ...messages, choice.message, ...choice.message.tool_calls.map((call, i) => ({ role: "tool", tool_call_id: call.id, content: outputs[i] })),
];

{
  const list = [];
  for await (const m of client.models.list()) list.push(m.id);
  assert.deepEqual(list, ["desk", "greetings", "orders"]);
  assert.equal((await client.models.retrieve("desk")).id, "desk");
}

// A text.
{
  const answer = await client.chat.completions.create({ model, messages: [user("hello there")] });
  assert.deepEqual([answer.object, answer.model, answer.choices.length], ["chat.completion", model, 1]);
  assert.deepEqual([answer.choices[0].message.content, answer.choices[0].finish_reason], ["You wrote: hello there", "stop"]);
  assert.deepEqual(answer.usage, { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 });
  const pieces = [];
  let usage;
  for await (const chunk of await client.chat.completions.create({ model, messages: [user("a\r\n\r\ndata: [DONE]\n\n<b>")], stream: true, stream_options: { include_usage: true } })) {
    usage = chunk.usage ?? usage;
    if (chunk.choices[0]?.delta.content) pieces.push(chunk.choices[0].delta.content);
  }
  assert.equal(pieces.join(""), "You wrote: a\r\n\r\ndata: [DONE]\n\n<b>");
  assert.ok(pieces.length > 2);
  assert.equal(usage.total_tokens, 10);
  const greeting = await client.chat.completions.create({ model: "greetings", messages: [user("Ann")] });
  assert.equal(greeting.choices[0].message.content, "You wrote: Ann");
  const kept = { metadata: { thread: "kept" } };
  await ask([user("one")], false, kept);
  await ask([user("two words")], true, kept);
}

// What a run asks, in the form of function calls.
for (const stream of [false, true]) {
  for (const [text, tool, output, reply] of [
    ["sign", "sign", "approve", "signed"], ["sign", "sign", "deny", "withdrawn"], ["refund", "refund", "approve", "The desk heard: paid"],
    ["where", "locate", '{"city":"Bonn"}', 'The desk heard: {"city":"Bonn"}'], ["ask", "ask", "Ann", "named Ann"], ["rate", "rate", '{"stars":4}', "rated"],
    ["post", "post", "continue", "posted"],
  ]) {
    const messages = [user(text)];
    const choice = await ask(messages, stream);
    assert.equal(choice.finish_reason, "tool_calls");
    assert.equal(choice.message.tool_calls.length, 1);
    assert.equal(choice.message.tool_calls[0].function.name, tool);
    assert.equal(typeof JSON.parse(choice.message.tool_calls[0].function.arguments), "object");
    const next = answered(messages, choice, output);
    assert.equal((await ask(next, stream)).message.content, reply);
    const error = await refused(ask(next, stream)); // a second answer
    assert.deepEqual([error.status, error.code, error.type], [409, "closed", "invalid_request_error"]);
  }
}
assert.deepEqual(await done(), ["refund A-7", "post", "refund A-7", "post"]);
{
  const choice = await ask([user("two")], false);
  const error = await refused(ask(answered([user("two")], choice, "approve", '{"city":7}'), false));
  assert.deepEqual([error.status, error.code, error.param], [422, "invalid", "answer.city"]);
  const rate = await ask([user("rate")], true);
  const wrong = await refused(ask(answered([user("rate")], rate, '{"stars":9}'), true));
  assert.deepEqual([wrong.status, wrong.code, wrong.param], [422, "invalid", "answer.stars"]);
  assert.equal((await ask(answered([user("rate")], rate, '{"stars":5}'), true)).message.content, "rated");
}

// Responses.
{
  const r = await client.responses.create({ model, input: "hello there" });
  assert.deepEqual([r.object, r.status, r.output_text, r.usage.total_tokens], ["response", "completed", "You wrote: hello there", 10]);
  assert.equal((await client.responses.retrieve(r.id)).output_text, "You wrote: hello there");
  const next = await client.responses.create({ model, input: [user("again")], previous_response_id: r.id });
  assert.equal(next.output_text, "You wrote: again");
  assert.equal(next.conversation.id, r.conversation.id);
  const branch = await refused(client.responses.create({ model, input: "third", previous_response_id: r.id }));
  assert.deepEqual([branch.status, branch.code], [409, "state"]);
  const named = await client.responses.create({ model, input: [{ role: "user", content: [{ type: "input_text", text: "named" }] }], conversation: "mine" });
  assert.deepEqual([named.output_text, named.conversation.id], ["You wrote: named", "mine"]);
  const s = client.responses.stream({ model, input: "in pieces" });
  const kinds = [];
  let text = "";
  for await (const e of s) {
    if (kinds.at(-1) !== e.type) kinds.push(e.type);
    if (e.type === "response.output_text.delta") text += e.delta;
  }
  assert.equal(text, "You wrote: in pieces");
  assert.equal((await s.finalResponse()).output_text, text);
  assert.deepEqual(kinds, [
    "response.created", "response.in_progress", "response.output_item.added", "response.content_part.added", "response.output_text.delta",
    "response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed",
  ]);
}
for (const stream of [false, true]) {
  const create = (body) => (stream ? client.responses.stream({ model, ...body }).finalResponse() : client.responses.create({ model, ...body }));
  for (const [input, name, output, reply] of [["sign", "sign", "approve", "signed"], ["refund", "refund", "deny", null], ["where", "locate", '{"city":"Bonn"}', null], ["ask", "ask", "Ann", "named Ann"], ["post", "post", "continue", "posted"]]) {
    const r = await create({ input });
    const call = r.output.find((o) => o.type === "function_call");
    assert.equal(call.name, name);
    const body = { previous_response_id: r.id, input: [{ type: "function_call_output", call_id: call.call_id, output }] };
    const last = await create(body);
    assert.equal(last.status, "completed");
    if (reply) assert.equal(last.output_text, reply);
    const error = await refused(create(body));
    assert.equal(error.status, 409);
  }
}

// What is refused.
{
  const choice = await ask([user("sign")], false);
  const theirs = clientOf("theirs");
  const messages = answered([user("sign")], choice, "approve");
  const error = await refused(theirs.chat.completions.create({ model, messages }));
  assert.deepEqual([error.status, error.code], [409, "closed"]);
  const r = await client.responses.create({ model, input: "sign" });
  assert.equal((await refused(theirs.responses.retrieve(r.id))).status, 404);
  assert.equal((await refused(theirs.responses.cancel(r.id))).status, 404);
  assert.equal((await refused(theirs.responses.create({ model, input: "x", previous_response_id: r.id }))).status, 404);
  assert.equal((await ask(messages, false)).message.content, "signed");
  const nobody = await refused(clientOf("nobody").models.list());
  assert.deepEqual([nobody.status, nobody.type], [401, "authentication_error"]);
  const none = await refused(client.chat.completions.create({ model: "none", messages }));
  assert.deepEqual([none.status, none.code, none.param], [404, "model_not_found", "model"]);
  const system = await refused(client.chat.completions.create({ model, messages: [{ role: "system", content: "be rude" }, user("x")] }));
  assert.deepEqual([system.status, system.code, system.param], [422, "message", "messages[0]"]);
  assert.equal((await refused(client.chat.completions.create({ model, messages: [{ role: "robot", content: "x" }] }))).param, "messages[0].role");
  assert.equal((await refused(client.chat.completions.create({ model, n: 2, messages: [user("x")] }))).param, "n");
  const failed = await refused(client.chat.completions.create({ model, messages: [user("fail")] }));
  assert.deepEqual([failed.status, failed.code, failed.param], [500, "failed", "help"]);
  const broken = await refused((async () => { for await (const _ of await client.chat.completions.create({ model, stream: true, messages: [user("fail")] })); })());
  assert.equal(broken.code, "failed");
  const response = await client.responses.stream({ model, input: "fail" }).finalResponse();
  assert.deepEqual([response.status, response.error.code], ["failed", "failed"]);
}

// A response that is stopped.
{
  const live = clientOf("t", "/live/openai/v1");
  const s = await live.responses.create({ model, input: "slow words", stream: true });
  await piece();
  let id, last;
  for await (const e of s) {
    if (e.type === "response.created") id = e.response.id;
    if (e.type === "response.output_text.delta" && id) {
      assert.equal((await live.responses.retrieve(id)).status, "in_progress");
      assert.equal((await live.responses.cancel(id)).status, "cancelled");
    }
    last = e;
  }
  assert.equal(last.response.status, "failed");
  assert.equal(last.response.error.code, "stopped");
  assert.equal((await live.responses.retrieve(id)).status, "cancelled");
}
