// The extension starts graphgen lsp, and shows what its commands return.
const vscode = require("vscode");
const {LanguageClient} = require("vscode-languageclient/node");

// The files that the server reads. Go files may hold graphs, and have the methods of nodes; Markdown may be a prompt.
const files = ["**/*.graph.yaml", "**/*.types.yaml", "**/*.scenarios.yaml", "**/*.go", "**/*.md", "**/*.txt"];

let client;

// VS Code activates the extension for any Go or YAML file, once. Where nothing is of graphgen it starts the server later, when something is.
exports.activate = async (context) => {
  const start = async () => {
    if (!client && await isOfGraphgen() && !client) { // a second event may come while it looks
      await startClient(context);
    }
  };
  const watcher = vscode.workspace.createFileSystemWatcher("**/{*.graph.yaml,*.types.yaml,go.mod}");
  context.subscriptions.push(watcher, watcher.onDidCreate(start), watcher.onDidChange(start),
    vscode.workspace.onDidOpenTextDocument((d) => isSpec(d) && start()), vscode.workspace.onDidChangeConfiguration(start));
  await start();
};

const isSpec = (document) => /\.(graph|types)\.yaml$/.test(document.fileName);

// isOfGraphgen reports whether a spec is there, a module names graphgen, or its command is set.
async function isOfGraphgen() {
  const set = vscode.workspace.getConfiguration("graphgen").inspect("command");
  if (set?.globalValue || set?.workspaceValue || set?.workspaceFolderValue ||
    vscode.workspace.textDocuments.some(isSpec)) {
    return true;
  }
  const find = (pattern, most) => vscode.workspace.findFiles(pattern, "**/{node_modules,vendor}/**", most);
  if ((await find("**/*.{graph,types}.yaml", 1)).length > 0) {
    return true;
  }
  for (const file of await find("**/go.mod")) {
    if (Buffer.from(await vscode.workspace.fs.readFile(file)).includes("github.com/graphgen/graphgen")) {
      return true;
    }
  }
  return false;
}

async function startClient(context) {
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
}

exports.deactivate = () => client?.stop();

// showPicture shows an SVG. It has no script: none may run.
function showPicture(svg) {
  const panel = vscode.window.createWebviewPanel("graphgen.picture", "graph", vscode.ViewColumn.Beside, {enableScripts: false});
  panel.webview.html = `<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">${svg}`;
}
