// XML for S3: writes documents from plain values, and reads elements by name.

export type XmlValue = string | number | boolean | undefined | XmlContent | readonly XmlValue[];
export interface XmlContent {
  readonly [name: string]: XmlValue;
}

// Undefined values are omitted; a list repeats its element.
export const writeXml = (root: string, content: XmlValue): string => element(root, content);

function element(name: string, value: XmlValue): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map((one: XmlValue) => element(name, one)).join('');
  const inside =
    typeof value === 'object'
      ? Object.entries(value)
          .map(([child, one]) => element(child, one))
          .join('')
      : escaped(String(value));
  return `<${name}>${inside}</${name}>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };
const escaped = (text: string): string => text.replace(/[&<>\r]/g, (sign) => entities[sign] as string);

// Whether a text can be written in XML 1.0, which has no control characters.
export const isWritable = (text: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are searched
  !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text) && text.isWellFormed();

// The used parts of browser elements, declared for Node's type checker.
interface MarkupElement {
  readonly localName: string;
  readonly textContent: string | null;
  readonly children: Iterable<MarkupElement>;
  querySelector(name: string): unknown;
}

declare const DOMParser: new () => {
  parseFromString(text: string, type: 'application/xml'): { documentElement: MarkupElement };
};

export class XmlNode {
  readonly #element: MarkupElement;

  constructor(element: MarkupElement) {
    this.#element = element;
  }

  get content(): string {
    return this.#element.textContent ?? '';
  }

  all(name: string): XmlNode[] {
    return [...this.#element.children].filter(({ localName }) => localName === name).map((one) => new XmlNode(one));
  }

  child(name: string): XmlNode | undefined {
    for (const one of this.#element.children) if (one.localName === name) return new XmlNode(one);
    return undefined;
  }

  text(name: string): string | undefined {
    return this.child(name)?.content;
  }

  number(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined || text === '' ? undefined : Number(text);
  }

  is(name: string): boolean {
    return this.text(name) === 'true';
  }
}

// Undefined: not XML.
export function readXml(text: string): XmlNode | undefined {
  const { documentElement } = new DOMParser().parseFromString(text, 'application/xml');
  return documentElement.querySelector('parsererror') || documentElement.localName === 'parsererror'
    ? undefined
    : new XmlNode(documentElement);
}
