// The extension for VS Code in a folder, with an editor that has what it asks for: node extension.cjs EXTENSION FOLDER COMMAND OPENED LATER.
// COMMAND is a setting, OPENED a file that is open, LATER a file that is written afterwards; each may be empty. It prints how often the server was
// started before that file, and with it.
const fs = require("node:fs");
const path = require("node:path");
const Module = require("node:module");

const [extension, folder, command, opened, later] = process.argv.slice(2);
let started = 0;
const watchers = []; // of files: a pattern, and what a change calls
const ignored = () => ({dispose() {}});
const matches = (pattern, file) => new RegExp("^" + pattern.replace("**/", "").replaceAll(".", "\\.").replaceAll("*", ".*")
  .replace(/\{([^}]*)\}/, (_, list) => `(${list.replaceAll(",", "|")})`) + "$").test(path.basename(file));
const vscode = {
  window: {createOutputChannel: () => ({})},
  workspace: {
    workspaceFolders: [{uri: {fsPath: folder}}],
    textDocuments: opened ? [{fileName: opened}] : [],
    getConfiguration: () => ({
      get: () => command ? [command] : ["go", "tool", "graphgen"], inspect: () => ({globalValue: command ? [command] : undefined}),
    }),
    findFiles: async (pattern, exclude, most) => fs.readdirSync(folder, {recursive: true})
      .filter((f) => matches(pattern, f) && !path.dirname(f).split(path.sep).some((dir) => exclude?.includes(dir + ",") || exclude?.includes(dir + "}")))
      .slice(0, most).map((f) => ({fsPath: path.join(folder, f)})),
    fs: {readFile: async (uri) => new Uint8Array(fs.readFileSync(uri.fsPath))},
    createFileSystemWatcher: (pattern) => {
      const event = (call) => (watchers.push({pattern, call}), {dispose() {}});
      return {onDidCreate: event, onDidChange: event, dispose() {}};
    },
    onDidOpenTextDocument: ignored, onDidChangeConfiguration: ignored,
  },
};
class LanguageClient {
  async start() { started++; }
}
const load = Module._load;
Module._load = (name, ...rest) => ({vscode, "vscode-languageclient/node": {LanguageClient}})[name] ?? load(name, ...rest);

(async () => {
  await require(path.resolve(extension)).activate({subscriptions: []});
  const before = started;
  if (later) {
    fs.writeFileSync(path.join(folder, later), "");
    await Promise.all(watchers.filter((w) => matches(w.pattern, later)).map((w) => w.call())); // it is created, and changed
  }
  console.log(`${before} ${started}`);
})();
