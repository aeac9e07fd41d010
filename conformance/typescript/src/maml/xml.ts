// XML without document types: as much of it as VOTables need.

/** An element by its name without a prefix; texts and children in their order. */
export interface Element {
  readonly name: string;
  /** By name without a prefix; declarations of prefixes are none. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Element[];
  /** The text right in it. */
  readonly text: string;
}

/** Text that is no XML, or XML that is refused. */
export class XmlError extends Error {
  override readonly name = "XmlError";
}

const START =
  ":A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f" +
  "\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}";
const NAME = new RegExp(`[${START}][-.0-9\\u00b7\\u0300-\\u036f\\u203f\\u2040${START}]*`, "uy");
const DECLARATION = new RegExp(
  "^<\\?xml\\s+version\\s*=\\s*(?:\"1\\.[0-9]+\"|'1\\.[0-9]+')" +
    "(?:\\s+encoding\\s*=\\s*(?:\"[A-Za-z][\\w.-]*\"|'[A-Za-z][\\w.-]*'))?" +
    "(?:\\s+standalone\\s*=\\s*(?:\"(?:yes|no)\"|'(?:yes|no)'))?\\s*$",
);
const BLANKS = /[ \t\n\r]*/y;
const REFERENCES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const LEVELS = 64;

/** Whether XML holds every character of a text. */
export function isXmlText(text: string): boolean {
  return !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u.test(text);
}

interface Open {
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly prefixes: ReadonlySet<string>;
  readonly children: Element[];
  text: string;
}

class Parser {
  private at = 0;
  private readonly stack: Open[] = [];
  private root: Element | undefined;

  constructor(private readonly xml: string) {}

  read(): Element {
    this.declaration();
    while (this.at < this.xml.length) this.part();
    const open = this.stack[this.stack.length - 1];
    if (open !== undefined) throw new XmlError(`the element ${open.name} is not closed`);
    if (this.root === undefined) throw new XmlError("there is no element");
    return this.root;
  }

  private fail(message: string): never {
    throw new XmlError(`character ${this.at + 1}: ${message}`);
  }

  private isNext(text: string): boolean {
    return this.xml.startsWith(text, this.at);
  }

  private blanks(): boolean {
    BLANKS.lastIndex = this.at;
    const length = BLANKS.exec(this.xml)?.[0].length ?? 0;
    this.at += length;
    return length > 0;
  }

  private nameHere(): string {
    NAME.lastIndex = this.at;
    const found = NAME.exec(this.xml)?.[0];
    if (found === undefined || !/^[^:]+(?::[^:]+)?$/.test(found)) this.fail("a name belongs here");
    this.at += found.length;
    return found;
  }

  /** What stands from here up to an end, which is passed. */
  private until(end: string, what: string): string {
    const found = this.xml.indexOf(end, this.at);
    if (found < 0) this.fail(`${what} does not end`);
    const text = this.xml.slice(this.at, found);
    this.at = found + end.length;
    return text;
  }

  private declaration(): void {
    if (!/^<\?xml[ \t\n\r]/.test(this.xml)) return;
    const text = this.until("?>", "the declaration");
    if (!DECLARATION.test(text)) this.fail("the declaration is none");
  }

  private part(): void {
    if (!this.isNext("<")) this.characters();
    else if (this.isNext("<!--")) this.comment();
    else if (this.isNext("<![CDATA[")) this.section();
    else if (this.isNext("<?")) this.instruction();
    else if (this.isNext("<!")) this.fail("a document type is refused");
    else if (this.isNext("</")) this.close();
    else this.open();
  }

  private comment(): void {
    this.at += 4;
    if (`${this.until("-->", "a comment")}-`.includes("--")) this.fail("a comment holds no --");
  }

  private instruction(): void {
    this.at += 2;
    const name = this.nameHere();
    if (name.toLowerCase() === "xml" || name.includes(":")) this.fail(`${name} is no name of an instruction`);
    if (!this.isNext("?>") && !this.blanks()) this.fail("a blank belongs behind the name of an instruction");
    this.until("?>", "an instruction");
  }

  private add(text: string): void {
    const open = this.stack[this.stack.length - 1];
    if (open !== undefined) open.text += text;
    else if (text.trim() !== "") this.fail("text stands in an element");
  }

  private section(): void {
    if (this.stack.length === 0) this.fail("text stands in an element");
    this.at += 9;
    this.add(this.until("]]>", "a section"));
  }

  private characters(): void {
    const next = this.xml.indexOf("<", this.at);
    const end = next < 0 ? this.xml.length : next;
    const text = this.xml.slice(this.at, end);
    if (text.includes("]]>")) this.fail("]]> is no text");
    this.add(this.resolved(text));
    this.at = end;
  }

  /** A text with its references followed. */
  private resolved(text: string): string {
    return text.replace(/&([^;&]*);?/g, (whole, word: string) => {
      const number = /^#(?:x([0-9a-fA-F]+)|([0-9]+))$/.exec(word);
      const known = Object.hasOwn(REFERENCES, word) ? REFERENCES[word] : undefined;
      if (!whole.endsWith(";") || (number === null && known === undefined)) this.fail(`${whole} is no reference`);
      if (known !== undefined) return known;
      const code = number?.[1] !== undefined ? parseInt(number[1], 16) : Number(number?.[2]);
      const char = code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffe";
      return isXmlText(char) ? char : this.fail(`${whole} is no character`);
    });
  }

  private attribute(): readonly [string, string] {
    const name = this.nameHere();
    this.blanks();
    if (!this.isNext("=")) this.fail("= belongs behind the name of an attribute");
    this.at += 1;
    this.blanks();
    const quote = this.xml[this.at] ?? "";
    if (quote !== '"' && quote !== "'") this.fail("a value stands in quotes");
    this.at += 1;
    const text = this.until(quote, "a value");
    if (text.includes("<")) this.fail("a value holds no <");
    return [name, this.resolved(text.replace(/[\t\n\r]/g, " "))];
  }

  private open(): void {
    this.at += 1;
    if (this.root !== undefined) this.fail("a document has one element that holds all others");
    const name = this.nameHere();
    const written = new Map<string, string>();
    for (let isApart = this.blanks(); !this.isNext(">") && !this.isNext("/>"); isApart = this.blanks()) {
      if (!isApart) this.fail("a blank belongs before an attribute");
      const [key, value] = this.attribute();
      if (written.has(key)) this.fail(`the attribute ${key} stands twice`);
      written.set(key, value);
    }
    const outer = this.stack[this.stack.length - 1];
    const own = [...written.keys()].filter((key) => key.startsWith("xmlns:")).map((key) => key.slice(6));
    const prefixes = new Set([...(outer?.prefixes ?? ["xml"]), ...own]);
    const attributes = new Map<string, string>();
    for (const [key, value] of written) {
      if (key !== "xmlns" && !key.startsWith("xmlns:")) attributes.set(this.local(key, prefixes), value);
    }
    this.local(name, prefixes);
    if (this.stack.length >= LEVELS) this.fail(`at most ${LEVELS} elements may stand inside each other`);
    this.stack.push({ name, attributes, prefixes, children: [], text: "" });
    const isClosed = this.isNext("/>");
    this.at += isClosed ? 2 : 1;
    if (isClosed) this.finish();
  }

  private local(name: string, prefixes: ReadonlySet<string>): string {
    const [first = "", second] = name.split(":");
    if (second !== undefined && !prefixes.has(first)) this.fail(`the prefix ${first} is not declared`);
    return second ?? first;
  }

  private close(): void {
    this.at += 2;
    const name = this.nameHere();
    this.blanks();
    const open = this.stack[this.stack.length - 1];
    if (open?.name !== name || !this.isNext(">")) this.fail(`${name} is not what is closed here`);
    this.at += 1;
    this.finish();
  }

  private finish(): void {
    const open = this.stack.pop();
    if (open === undefined) return;
    const { attributes, children, text } = open;
    const element = { name: this.local(open.name, open.prefixes), attributes, children, text };
    const outer = this.stack[this.stack.length - 1];
    if (outer === undefined) this.root = element;
    else outer.children.push(element);
  }
}

/**
 * Reads a document.
 *
 * @throws {XmlError} for what is no XML, a document type, and more than 64 elements inside each other.
 */
export function parseXml(xml: string): Element {
  const text = xml.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  if (!isXmlText(text)) throw new XmlError("this text holds characters that are none of XML");
  return new Parser(text).read();
}

/** The first element of a name, in the order of the document. */
export function firstOf(element: Element, name: string): Element | undefined {
  if (element.name === name) return element;
  for (const child of element.children) {
    const found = firstOf(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The children of a name. */
export function childrenOf(element: Element | undefined, name: string): readonly Element[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** A text as it stands in an element; in an attribute with its line ends and tabs kept. */
export function escapeXml(text: string, isAttribute: boolean): string {
  const pattern = isAttribute ? /[&<>"\t\n\r]/g : /[&<>\r]/g;
  const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(pattern, (char) => names[char] ?? `&#${char.charCodeAt(0)};`);
}
