// Puts compiled modules into one script, which a browser runs from a server and from a folder alike.
//
//     node .ci/bundle.mjs FOLDER ENTRY OUTPUT

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

const [folder, entry, output] = process.argv.slice(2);

const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile() && file.name.endsWith(".js"))
  .map((file) => join(file.parentPath ?? file.path, file.name))
  .sort();

const modules = files.map((file) => {
  const name = relative(folder, file).split(sep).join("/");
  return `${JSON.stringify(name)}(exports, require) {\n${readFileSync(file, "utf8")}\n}`;
});

writeFileSync(
  output,
  `"use strict";
(() => {
const modules = {
${modules.join(",\n")}
};
const loaded = {};
const resolve = (from, to) => new URL(to, "file:///" + from).pathname.slice(1);
const load = (name) => {
  if (!(name in loaded)) {
    loaded[name] = {};
    modules[name](loaded[name], (to) => load(resolve(name, to)));
  }
  return loaded[name];
};
load(${JSON.stringify(entry)});
})();
`,
);
