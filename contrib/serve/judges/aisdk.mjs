// A chat of the AI SDK, as a page has it, against the wire aisdk.
import { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { assert, done, piece, refused, url } from "./check.mjs";

class State {
  status = "ready";
  error = undefined;
  messages = [];
  pushMessage = (m) => { this.messages = [...this.messages, m]; };
  popMessage = () => { this.messages = this.messages.slice(0, -1); };
  replaceMessage = (i, m) => { this.messages = this.messages.map((old, n) => (n === i ? structuredClone(m) : old)); };
  snapshot = (v) => structuredClone(v);
}

let ids = 0;

class Chat extends AbstractChat {
  constructor(id, { path = "/ai/desk", token, messages = [], ...options } = {}) {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const data = [];
    super({
      id, generateId: () => `m${++ids}`, state: Object.assign(new State(), { messages }), transport: new DefaultChatTransport({ api: url + path, headers }),
      onData: (part) => data.push(part), ...options,
    });
    this.data = data;
  }
  get text() { return this.lastMessage.parts.filter((p) => p.type === "text").map((p) => p.text).join("|"); }
  get calls() { return this.lastMessage.parts.filter((p) => p.type.startsWith("tool-")); }
  async say(text) {
    await this.sendMessage({ text });
    if (this.error) throw this.error;
    return this.lastMessage;
  }
  async send() {
    await this.sendMessage();
    if (this.error) throw this.error;
  }
}

// A text in pieces, and what happens beside it.
{
  const chat = new Chat("plain");
  await chat.say("hello there");
  assert.equal(chat.text, "You wrote: hello there");
  assert.equal(chat.lastMessage.role, "assistant");
  assert.deepEqual(chat.data.map((p) => `${p.data.node} ${p.data.status}`), ["begin started", "begin ended", "help started", "help ended"]);
  await chat.say("again");
  assert.equal(chat.text, "You wrote: again");
  assert.equal(chat.messages.length, 4);
  assert.notEqual(chat.messages[1].id, chat.messages[3].id);
  await chat.say("line\r\n\r\ndata: {\"type\":\"finish\"}\r\n\r\n<script>");
  assert.equal(chat.text, "You wrote: line\r\n\r\ndata: {\"type\":\"finish\"}\r\n\r\n<script>");
  await chat.regenerate();
  assert.equal(chat.messages.length, 6);
  const greeting = new Chat("x", { path: "/ai/greetings" });
  await greeting.say("Ann");
  assert.equal(greeting.text, "You wrote: Ann");
}

// A decision, by a node that asks.
for (const [yes, reply] of [[true, "signed"], [false, "withdrawn"]]) {
  const chat = new Chat(`sign-${yes}`, { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
  await chat.say("sign");
  const [call] = chat.calls;
  assert.equal(call.type, "tool-sign");
  assert.equal(call.state, "approval-requested");
  assert.equal(call.input.question, "Sign sign?");
  await chat.addToolApprovalResponse({ id: call.approval.id, approved: yes });
  while (chat.status !== "ready" || chat.calls[0].state === "approval-responded") await new Promise((r) => setTimeout(r, 5));
  assert.equal(chat.calls[0].state, yes ? "output-available" : "output-denied");
  assert.equal(chat.messages.length, 2, "the answer continues the message");
  assert.equal(chat.text, reply);
}

// A tool that a person approves, twice answered, and answered late.
{
  const chat = new Chat("refund");
  await chat.say("refund");
  const [call] = chat.calls;
  assert.deepEqual([call.type, call.input], ["tool-refund", { order: "A-7", amount: 20 }]);
  await chat.addToolApprovalResponse({ id: call.approval.id, approved: true });
  const answered = structuredClone(chat.messages);
  await chat.send();
  assert.equal(chat.text, "The desk heard: paid");
  assert.deepEqual(await done(), ["refund A-7"]);
  const again = new Chat("refund", { messages: answered });
  const error = await refused(again.send());
  assert.equal(error.statusCode, 409, error.message);
  assert.match(error.message, /^closed: /);
  await chat.say("refund"); // the request has the same ID in this run
  const late = new Chat("refund", { messages: answered });
  assert.equal((await refused(late.send())).statusCode, 409);
  assert.deepEqual(await done(), ["refund A-7"]);
  await chat.addToolApprovalResponse({ id: chat.calls[0].approval.id, approved: false, reason: "it was used" });
  await chat.send();
  assert.match(chat.text, /it was used/);
  assert.deepEqual(await done(), ["refund A-7"]);
}

// A tool of the client, and one beside it that a person approves.
{
  const chat = new Chat("where");
  await chat.say("where");
  await chat.addToolOutput({ tool: "locate", toolCallId: chat.calls[0].toolCallId, output: { city: 7 } });
  assert.match((await refused(chat.send())).message, /^invalid: answer\.city: expected a string/);
  await chat.addToolOutput({ tool: "locate", toolCallId: chat.calls[0].toolCallId, output: { city: "Bonn" } });
  await chat.send();
  assert.match(chat.text, /^The desk heard: .*Bonn/);
  const two = new Chat("two");
  await two.say("two");
  assert.deepEqual(two.calls.map((p) => p.type), ["tool-refund", "tool-locate"]);
  await two.addToolApprovalResponse({ id: two.calls[0].approval.id, approved: true });
  await two.addToolOutput({ state: "output-error", tool: "locate", toolCallId: two.calls[1].toolCallId, errorText: "it is off" });
  await two.send();
  assert.match(two.text, /it is off/);
  const half = new Chat("half");
  await half.say("two");
  await half.addToolApprovalResponse({ id: half.calls[0].approval.id, approved: true });
  await half.send();
  assert.equal(half.calls.length, 2);
  assert.equal(half.calls[1].state, "input-available");
  await half.addToolOutput({ tool: "locate", toolCallId: half.calls[1].toolCallId, output: { city: "Bonn" } });
  await half.send();
  assert.match(half.text, /Bonn/);
}

// Replies, of a text and of a struct.
{
  const chat = new Chat("ask");
  await chat.say("ask");
  await chat.addToolOutput({ tool: "ask", toolCallId: chat.calls[0].toolCallId, output: "Ann" });
  await chat.send();
  assert.equal(chat.text, "Hello Ann.|named Ann");
  assert.deepEqual(chat.lastMessage.parts.find((p) => p.type === "data-say").data, { node: "greeted", payload: { name: "Ann" } });
  const rate = new Chat("rate");
  await rate.say("rate");
  await rate.addToolOutput({ tool: "rate", toolCallId: rate.calls[0].toolCallId, output: { stars: 9 } });
  assert.match((await refused(rate.send())).message, /^invalid: answer\.stars: /);
  await rate.addToolOutput({ tool: "rate", toolCallId: rate.calls[0].toolCallId, output: { stars: 5 } });
  await rate.send();
  assert.equal(rate.text, "rated");
}

// An interrupt, and two questions of branches.
{
  const chat = new Chat("post");
  await chat.say("post");
  await chat.addToolApprovalResponse({ id: chat.calls[0].approval.id, approved: false });
  assert.match((await refused(chat.send())).message, /^invalid: answer: /);
  const other = new Chat("post2");
  await other.say("post");
  await other.addToolApprovalResponse({ id: other.calls[0].approval.id, approved: true });
  await other.send();
  assert.equal(other.text, "posted");
  const both = new Chat("both", { path: "/live/ai/desk" });
  await both.say("both");
  for (const call of both.calls) await both.addToolApprovalResponse({ id: call.approval.id, approved: true });
  await both.send();
  assert.equal(both.text, "agreed");
}

// What is refused.
{
  const chat = new Chat("mine", { token: "mine" });
  await chat.say("sign");
  await chat.addToolApprovalResponse({ id: chat.calls[0].approval.id, approved: true });
  const theirs = new Chat("mine", { token: "theirs", messages: structuredClone(chat.messages) });
  assert.equal((await refused(theirs.send())).statusCode, 404);
  assert.equal((await refused(new Chat("a", { token: "nobody" }).say("hello"))).statusCode, 401);
  assert.equal((await refused(new Chat("a", { path: "/ai/nothing" }).say("hello"))).statusCode, 404);
  assert.match((await refused(new Chat("busy").say("x".repeat(5000)))).message, /^invalid: input\.message: /);
  const failed = await refused(new Chat("fail").say("fail"));
  assert.equal(failed.message, "failed: help: The run has failed at a node.");
  await chat.send();
  assert.equal(chat.text, "signed");
}

// Reconnect: where no run works there is nothing to resume, and where one works its message is completed.
{
  const chat = new Chat("plain");
  await chat.resumeStream();
  assert.deepEqual([chat.status, chat.messages.length], ["ready", 0]);
  await new Chat("unknown").resumeStream();
}
{
  const chat = new Chat("slow", { path: "/live/ai/desk" });
  const answer = chat.sendMessage({ text: "slow answer" });
  await piece();
  while (chat.lastMessage?.role !== "assistant" || !chat.text) await new Promise((r) => setTimeout(r, 5));
  const page = new Chat("slow", { path: "/live/ai/desk" }); // opened in another window
  const resumed = page.resumeStream();
  while (page.status !== "streaming") await new Promise((r) => setTimeout(r, 5));
  for (let i = 0; i < 3; i++) await piece();
  await Promise.all([answer, resumed]);
  assert.equal(chat.text, "You wrote: slow answer");
  assert.deepEqual(page.lastMessage, chat.lastMessage);
}
