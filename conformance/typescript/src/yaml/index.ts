export { parseYaml } from "./document.js";
export { YamlError } from "./node.js";
export type { Entry, Limits, ListNode, MapNode, Node, ScalarNode, ScalarStyle, YamlProblem } from "./node.js";
