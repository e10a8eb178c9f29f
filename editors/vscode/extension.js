// The extension starts graphgen lsp, and shows what its commands return.
const vscode = require("vscode");
const {LanguageClient} = require("vscode-languageclient/node");

// The files that the server reads. Go files may hold graphs, and have the methods of nodes; Markdown may be a prompt.
const files = ["**/*.graph.yaml", "**/*.types.yaml", "**/*.scenarios.yaml", "**/*.go", "**/*.md", "**/*.txt"];

let client;

exports.activate = async (context) => {
  const [command, ...args] = vscode.workspace.getConfiguration("graphgen").get("command");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const output = vscode.window.createOutputChannel("graphgen");
  client = new LanguageClient("graphgen", "graphgen", {command, args: [...args, "lsp"], options: {cwd: folder}}, {
    documentSelector: files.map((pattern) => ({scheme: "file", pattern})),
    synchronize: {fileEvents: [...files, "**/go.mod"].map((pattern) => vscode.workspace.createFileSystemWatcher(pattern))},
    outputChannel: output,
    middleware: {
      executeCommand: async (name, args, next) => {
        const result = await next(name, args);
        if (name === "graphgen.picture" && result?.ok) {
          showPicture(result.output);
        } else if (result) {
          output.clear();
          output.append(result.output);
          output.show(true);
        }
        return result;
      },
    },
  });
  context.subscriptions.push(client, output);
  await client.start();
};

exports.deactivate = () => client?.stop();

// showPicture shows an SVG. It has no script: none may run.
function showPicture(svg) {
  const panel = vscode.window.createWebviewPanel("graphgen.picture", "graph", vscode.ViewColumn.Beside, {enableScripts: false});
  panel.webview.html = `<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">${svg}`;
}
