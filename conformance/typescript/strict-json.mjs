// JSON as case files may use it: no duplicate keys, and only numbers that every language reads alike.

export class CaseFileError extends Error {}

const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;
const WORDS = [["true", true], ["false", false], ["null", null]];

/** The value of a JSON text; throws a CaseFileError that names `where`. */
export function parse(text, where) {
  let at = 0;

  const fail = (message) => {
    const line = text.slice(0, at).split("\n").length;
    throw new CaseFileError(`${where}: line ${line}: ${message}`);
  };
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const take = (character) => {
    match(SPACE);
    if (text[at] !== character) return false;
    at += 1;
    match(SPACE);
    return true;
  };
  const string = () => {
    const found = match(STRING);
    return found ? JSON.parse(found[0]) : fail("a string was expected");
  };
  const number = ([literal, fraction, exponent]) => {
    const value = Number(literal);
    const whole = fraction === undefined && exponent === undefined;
    if (Object.is(value, -0)) fail(`the number ${literal} is written {"$float": "-0"} in a case file`);
    if (!Number.isFinite(value)) fail(`the number ${literal} is written {"$float": "Infinity"} in a case file`);
    if (whole && !Number.isSafeInteger(value)) fail(`the number ${literal} is written {"$int": "${literal}"} in a case file`);
    return value;
  };
  const object = () => {
    const found = {};
    if (take("}")) return found;
    do {
      const key = string();
      if (Object.hasOwn(found, key)) fail(`the key ${JSON.stringify(key)} is given twice in one object; keep one`);
      if (!take(":")) fail("a colon was expected");
      Object.defineProperty(found, key, { value: value(), enumerable: true, writable: true, configurable: true });
    } while (take(","));
    return take("}") ? found : fail("} or a comma was expected");
  };
  const list = () => {
    const found = [];
    if (take("]")) return found;
    do found.push(value());
    while (take(","));
    return take("]") ? found : fail("] or a comma was expected");
  };
  const value = () => {
    if (take("{")) return object();
    if (take("[")) return list();
    if (text[at] === '"') return string();
    for (const [word, meaning] of WORDS) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return meaning;
      }
    }
    const literal = match(NUMBER);
    return literal ? number(literal) : fail("a value was expected; NaN and Infinity are written as $float");
  };

  match(SPACE);
  const found = value();
  match(SPACE);
  return at === text.length ? found : fail("the text goes on after its value");
}
