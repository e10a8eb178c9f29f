// A session of the client of vscode-languageserver-protocol with a server: node session.mjs FOLDER COMMAND...
// It prints what it has got, as JSON.
import {spawn} from "node:child_process";
import {createRequire} from "node:module";
import {readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";
import {join} from "node:path";

const lsp = createRequire(import.meta.url)("vscode-languageserver-protocol/node");

const [folder, command, ...args] = process.argv.slice(2);
const server = spawn(command, args, {cwd: folder, stdio: ["pipe", "pipe", "inherit"]});
const connection = lsp.createProtocolConnection(new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));
const got = {logs: []};
const shown = new Map();
const waiting = [];
connection.onNotification(lsp.PublishDiagnosticsNotification.type, (p) => {
  shown.set(p.uri, p);
  for (const check of waiting) check();
});
connection.onNotification(lsp.LogMessageNotification.type, (p) => got.logs.push(p.message));
connection.listen();

const diagnosticsOf = (uri, version) => new Promise((resolve) => {
  const check = () => shown.get(uri)?.version === version && resolve(shown.get(uri).diagnostics);
  waiting.push(check);
  check();
});

const {capabilities} = await connection.sendRequest(lsp.InitializeRequest.type, {
  processId: process.pid, rootUri: pathToFileURL(folder).href, workspaceFolders: null,
  capabilities: {textDocument: {completion: {completionItem: {snippetSupport: true}}}},
});
got.capabilities = Object.keys(capabilities).sort();
await connection.sendNotification(lsp.InitializedNotification.type, {});

const uri = pathToFileURL(join(folder, "review.graph.yaml")).href;
const text = readFileSync(join(folder, "review.graph.yaml"), "utf8");
const textDocument = {uri};
await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {textDocument: {uri, languageId: "yaml", version: 1, text}});
got.opened = (await diagnosticsOf(uri, 1)).length;

// A key press that makes a name wrong, and the change that mends it.
const line = text.split("\n").findIndex((l) => l.includes("to: critic"));
const end = text.split("\n")[line].indexOf("critic") + "critic".length;
const at = {line, character: end};
await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
  textDocument: {uri, version: 2}, contentChanges: [{range: {start: at, end: at}, text: "z"}],
});
const wrong = await diagnosticsOf(uri, 2);
got.wrong = wrong.map((d) => d.data);
got.links = wrong.map((d) => d.codeDescription?.href);
const actions = await connection.sendRequest(lsp.CodeActionRequest.type, {textDocument, range: wrong[0].range, context: {diagnostics: [wrong[0]]}});
got.actions = actions.map((a) => a.title);
const edit = actions[0].edit.changes[uri][0];
await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
  textDocument: {uri, version: 3}, contentChanges: [{range: edit.range, text: edit.newText}],
});
got.mended = (await diagnosticsOf(uri, 3)).length;

const position = {line, character: end - 2};
got.completion = (await connection.sendRequest(lsp.CompletionRequest.type, {textDocument, position})).map((i) => i.label);
got.hover = (await connection.sendRequest(lsp.HoverRequest.type, {textDocument, position})).contents.value.split("\n")[0];
const places = (list) => list.map((l) => `${l.uri.split("/").pop()}:${l.range.start.line + 1}`);
got.definition = places(await connection.sendRequest(lsp.DefinitionRequest.type, {textDocument, position}));
got.references = places(await connection.sendRequest(lsp.ReferencesRequest.type, {textDocument, position, context: {includeDeclaration: true}}));
got.symbols = (await connection.sendRequest(lsp.DocumentSymbolRequest.type, {textDocument})).map((s) => s.name);
got.folds = (await connection.sendRequest(lsp.FoldingRangeRequest.type, {textDocument})).length;
got.tokens = (await connection.sendRequest(lsp.SemanticTokensRequest.type, {textDocument})).data.length % 5;
got.lenses = (await connection.sendRequest(lsp.CodeLensRequest.type, {textDocument})).map((l) => l.command.title);
got.formatting = (await connection.sendRequest(lsp.DocumentFormattingRequest.type, {textDocument, options: {tabSize: 2, insertSpaces: true}})).length;
const picture = await connection.sendRequest(lsp.ExecuteCommandRequest.type, {command: "graphgen.picture", arguments: [uri]});
got.picture = picture.output.includes("<svg");
try {
  await connection.sendRequest("no/such/method", {});
} catch (e) {
  got.unknown = e.code;
}
const cancelled = new lsp.CancellationTokenSource();
const asked = connection.sendRequest(lsp.HoverRequest.type, {textDocument, position}, cancelled.token);
cancelled.cancel();
got.cancelled = await asked.then(() => "answered", (e) => e.code); // either, once
await connection.sendRequest(lsp.ShutdownRequest.type);
await connection.sendNotification(lsp.ExitNotification.type);
got.exit = await new Promise((resolve) => server.once("exit", resolve));
console.log(JSON.stringify(got));
