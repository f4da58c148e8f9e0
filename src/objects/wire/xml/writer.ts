// Writes S3's XML answers. Clients in Go compare the name and namespace of the root, so those of S3's documentation are
// used. An array becomes one element per item; undefined is omitted.
import type { XMLBuilder, XmlBuilderOptions } from 'fast-xml-parser';
import { library } from './library.ts';

export type XmlValue = string | number | boolean | undefined | XmlContent | readonly XmlValue[];
export interface XmlContent {
  readonly [name: string]: XmlValue; // "@_name" is an attribute, "#text" the text next to attributes
}

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';

// Object keys may contain control characters. XML 1.0 can't represent most of them; S3 writes the reference anyway, and
// clients can request encoding-type=url.
export const escapeText = (value: unknown): string =>
  String(value).replace(/[&<>"\p{Cc}\uFFFE\uFFFF]/gu, (c) => named[c] ?? `&#x${c.charCodeAt(0).toString(16)};`);

const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const settings: XmlBuilderOptions = {
  ignoreAttributes: false,
  processEntities: false,
  tagValueProcessor: (_name: string, value: unknown) => escapeText(value),
  attributeValueProcessor: (_name: string, value: unknown) => escapeText(value),
};

let builder: XMLBuilder | undefined;

// With null as the namespace the root has none, as in errors.
export function writeXml(root: string, content: XmlValue, xmlns: string | null = namespace): string {
  const attributes = xmlns === null ? {} : { '@_xmlns': xmlns };
  const isObject = typeof content === 'object' && !Array.isArray(content);
  const inside = isObject ? { ...attributes, ...(content as XmlContent) } : { ...attributes, '#text': content ?? '' };
  builder ??= new (library().XMLBuilder)(settings);
  return builder.build({ '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' }, [root]: inside });
}
