// The clients of the guide docs/guides/serve-clients.md.
import { Role } from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";
import { HttpAgent } from "@ag-ui/client";
import { Client } from "@langchain/langgraph-sdk";
import { DefaultChatTransport, readUIMessageStream } from "ai";
import OpenAI from "openai";
import { assert, url } from "./check.mjs";

const base = `${url}/live`;
const token = "t";

{
  const transport = new DefaultChatTransport({ api: `${base}/ai/desk` }); // for useChat({ id, transport })
  const messages = [{ id: "1", role: "user", parts: [{ type: "text", text: "hello" }] }];
  const stream = await transport.sendMessages({ chatId: "a", messages, trigger: "submit-message" });
  let last;
  for await (const message of readUIMessageStream({ stream })) last = message;
  assert.equal(last.parts.find((p) => p.type === "text").text, "You wrote: hello");
}
{
  let interrupts = [];
  const agent = new HttpAgent({ url: `${base}/agui/desk`, threadId: "b" });
  agent.addMessage({ id: "1", role: "user", content: "sign" });
  await agent.runAgent({}, { onRunFinishedEvent: ({ event }) => { interrupts = event.outcome?.interrupts ?? []; } });
  await agent.runAgent({ resume: interrupts.map((i) => ({ interruptId: i.id, status: "resolved", payload: "approve" })) });
  assert.equal(agent.messages.at(-1).content, "signed");
}
{
  const client = new OpenAI({ baseURL: `${base}/openai/v1`, apiKey: token });
  const asked = await client.responses.create({ model: "desk", input: "sign" });
  const call = asked.output.find((item) => item.type === "function_call");
  const output = { type: "function_call_output", call_id: call.call_id, output: "approve" };
  const answer = await client.responses.create({ model: "desk", previous_response_id: asked.id, input: [output] });
  assert.equal(answer.output_text, "signed");
}
{
  const headers = { "Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call" };
  const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
  const request = (id, params) => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { ...params, _meta } });
  const call = (id, params) => fetch(`${base}/mcp/`, { method: "POST", headers: { ...headers, "Mcp-Name": "desk" }, body: request(id, params) });
  const asked = (await (await call(1, { name: "desk", arguments: { message: "sign" } })).json()).result;
  const inputResponses = { sign: { action: "accept", content: { approve: true } } };
  const again = await call(2, { name: "desk", arguments: {}, inputResponses, requestState: asked.requestState });
  assert.equal((await again.json()).result.structuredContent.reply, "signed");
}
{
  const message = ({ text, taskId = "" }) => ({
    messageId: crypto.randomUUID(), role: Role.ROLE_USER, contextId: "", taskId, extensions: [], referenceTaskIds: [], metadata: {},
    parts: [{ content: { $case: "text", value: text }, metadata: {}, filename: "", mediaType: "" }],
  });
  const client = await new ClientFactory().createFromUrl(`${base}/a2a/desk/`);
  const task = await client.sendMessage({ message: message({ text: "sign" }) });
  const ended = await client.sendMessage({ message: message({ text: "approve", taskId: task.id }) });
  assert.equal(ended.artifacts[0].parts[0].content.value, "signed");
}
{
  const client = new Client({ apiUrl: `${base}/langgraph`, apiKey: token });
  const { thread_id } = await client.threads.create();
  const input = { messages: [{ type: "human", content: "sign" }] };
  const asked = await client.runs.wait(thread_id, "desk", { input });
  const ended = await client.runs.wait(thread_id, "desk", { command: { resume: { [asked.__interrupt__[0].id]: "approve" } } });
  assert.equal(ended.reply, "signed");
}
