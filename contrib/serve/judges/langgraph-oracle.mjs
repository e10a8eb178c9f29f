// The graphs of package servetest as LangGraph has them, behind LangGraph's own server: what langgraph.mjs compares with.
import { Annotation, END, START, StateGraph, interrupt } from "@langchain/langgraph";
import { FakeListChatModel } from "@langchain/core/utils/testing";

const field = (value) => Annotation({ reducer: (_, b) => b, default: () => value });
const choices = ["approve", "deny"];
const decision = (node, question) => interrupt({ kind: "decision", node, request: { question, choices }, schema: { enum: choices } });

export const orders = new StateGraph(Annotation.Root({ order: Annotation(), amount: field(0), receipt: field("") }))
  .addNode("check", async () => ({ amount: 12.5 }))
  .addNode("found", async (s, config) => {
    config.writer?.({ node: "found", text: `Order ${s.order} cost ${s.amount}.` });
    return {};
  })
  .addNode("size", async () => ({}))
  .addNode("approve", async (s) => {
    decision("approve", `Pay ${s.amount} back for order ${s.order}?`);
    return {};
  })
  .addNode("pay", async (s) => ({ receipt: "receipt of " + s.order }))
  .addEdge(START, "check").addEdge("check", "found").addEdge("found", "size")
  .addConditionalEdges("size", (s) => (s.amount < 10 ? "pay" : "approve"), ["pay", "approve"])
  .addEdge("approve", "pay").addEdge("pay", END).compile();

export const desk = new StateGraph(Annotation.Root({ message: Annotation(), reply: field("") }))
  .addNode("help", async (s) => {
    if (s.message === "wait") await new Promise(() => {}); // until the run is cancelled
    const said = await new FakeListChatModel({ responses: ["You wrote: " + s.message] }).invoke(s.message);
    return { reply: said.content };
  })
  .addNode("left", async () => { decision("left", "Is the left one right?"); return {}; })
  .addNode("right", async () => { decision("right", "Is the right one right?"); return {}; })
  .addNode("agreed", async () => ({ reply: "agreed" }))
  .addConditionalEdges(START, (s) => (s.message === "both" ? ["left", "right"] : "help"), ["left", "right", "help"])
  .addEdge(["left", "right"], "agreed").addEdge("agreed", END).addEdge("help", END).compile();

async function serve(port) {
  const { startServer } = await import("@langchain/langgraph-api/server");
  const program = "./langgraph-oracle.mjs";
  const graphs = { orders: `${program}:orders`, desk: `${program}:desk` };
  const { host } = await startServer({ port, nWorkers: 4, host: "127.0.0.1", cwd: process.cwd(), graphs });
  console.log("listening on", host);
}

if (process.argv[2] === "serve") serve(Number(process.argv[3])); // not awaited: the server imports this file, which must have been evaluated
