// The clients of the guide docs/guides/serve-clients.md.
import { HttpAgent } from "@ag-ui/client";
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
