// The stage `logfmt`: key=value pairs become labels.
import { parseError } from '../query-error.ts';
import type { Extraction } from '../syntax/tree.ts';
import { labelNameOf } from './label-name.ts';
import type { Process } from './process.ts';

const logfmtError = 'LogfmtParserErr';
const [equals, quote, backslash, space] = [61, 34, 92, 32];

// Reads the pairs of a line one by one.
class Decoder {
  readonly #line: string;
  #at = 0;
  key = '';
  // Position of the value: most values are not needed, so they are extracted only on request.
  #from = 0;
  #to = 0;
  #unquoted: string | undefined;
  error: string | undefined;

  constructor(line: string) {
    this.#line = line;
  }

  get value(): string {
    return this.#unquoted ?? this.#line.slice(this.#from, this.#to);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#line.length;
  }

  // Returns false without a pair, after an error or at the end of the line.
  next(): boolean {
    const line = this.#line;
    this.key = '';
    this.#from = 0;
    this.#to = 0;
    this.#unquoted = undefined;
    while (this.#at < line.length && line.charCodeAt(this.#at) <= space) this.#at++;
    if (this.isAtEnd) return false;
    const start = this.#at;
    let code = 0;
    for (; this.#at < line.length; this.#at++) {
      code = line.charCodeAt(this.#at);
      if (code === equals || code === quote || code <= space) break;
    }
    this.key = line.slice(start, this.#at);
    if (this.isAtEnd || code <= space) return this.#isGoodKey() || this.#fail('invalid key', false);
    if (code === quote || this.key === '') return this.#fail(`unexpected '${String.fromCharCode(code)}'`, true);
    if (!this.#isGoodKey()) return this.#fail('invalid key', true);
    this.#at++;
    if (this.isAtEnd || line.charCodeAt(this.#at) <= space) return true;
    return line.charCodeAt(this.#at) === quote ? this.#quoted() : this.#plain();
  }

  #plain(): boolean {
    const line = this.#line;
    const start = this.#at;
    for (; this.#at < line.length; this.#at++) {
      const code = line.charCodeAt(this.#at);
      if (code === equals || code === quote) return this.#fail(`unexpected '${line[this.#at]}'`, true);
      if (code <= space) break;
    }
    this.#from = start;
    this.#to = this.#at;
    return true;
  }

  #quoted(): boolean {
    const line = this.#line;
    const start = this.#at;
    let hasEscapes = false;
    for (let at = start + 1; at < line.length; at++) {
      const code = line.charCodeAt(at);
      if (code === backslash) {
        hasEscapes = true;
        at++;
      } else if (code === quote) {
        this.#at = at + 1;
        this.#from = start + 1;
        this.#to = at;
        if (!hasEscapes) return true;
        this.#unquoted = unescaped(line.slice(start + 1, at));
        return this.#unquoted !== undefined || this.#fail('invalid quoted value', false);
      }
    }
    this.#at = line.length;
    return this.#fail('unterminated quoted value', false);
  }

  #isGoodKey(): boolean {
    return !this.key.includes('\uFFFD');
  }

  #fail(message: string, skipsValue: boolean): false {
    const position = Buffer.byteLength(this.#line.slice(0, this.#at)) + 1;
    this.error = `logfmt syntax error at pos ${position} : ${message}`;
    if (skipsValue) while (this.#at < this.#line.length && this.#line.charCodeAt(this.#at) > space) this.#at++;
    return false;
  }
}

// Quoted values have the escapes of JSON, and \'.
function unescaped(inner: string): string | undefined {
  try {
    return JSON.parse(`"${inner.replaceAll("\\'", "'").replaceAll('\t', '\\t')}"`) as string;
  } catch {
    return undefined;
  }
}

const cleaned = (value: string): string => (value.includes('\uFFFD') ? value.replaceAll('\uFFFD', ' ') : value);

export function logfmtStage(isStrict: boolean, keepsEmpty: boolean): Process {
  return (line, labels) => {
    const { hints } = labels;
    if (hints.takesNothing(labels)) return line;
    const decoder = new Decoder(line);
    while (!decoder.isAtEnd) {
      if (!decoder.next()) {
        if (isStrict) break;
        continue;
      }
      const field = labelNameOf(decoder.key);
      if (field === '') continue;
      const name = labels.freeName(field);
      if (!hints.takes(name) || labels.extracted.has(name)) continue;
      const { value } = decoder;
      if (!keepsEmpty && value === '') continue;
      labels.set(name, cleaned(value));
      if (!hints.passes(name, labels)) return undefined;
      if (hints.isComplete(labels)) break;
    }
    if (isStrict && decoder.error !== undefined) {
      labels.fail(logfmtError, decoder.error);
      if (!hints.passes('__error__', labels)) return undefined;
    }
    return line;
  };
}

export function logfmtExpressionStage(expressions: readonly Extraction[], isStrict: boolean): Process {
  const fields = new Map<string, string>(); // names of labels by the fields that they take
  const wanted = new Set<string>();
  for (const { name, expression } of expressions) {
    const [, key = '', quoted] = /^\s*(?:([A-Za-z_]\w*)|"([^"\]]*)["\]]?)\s*$/.exec(expression) ?? [];
    const field = quoted ?? key;
    if (field === '')
      throw parseError(
        `cannot parse expression [${expression}]: syntax error: unexpected $end, expecting STRING or KEY`,
      );
    fields.set(field, name);
    wanted.add(name);
  }
  return (line, labels) => {
    const { hints } = labels;
    if (hints.takesNothing(labels)) return line;
    for (const name of wanted) if (!labels.isTaken(name)) labels.set(name, '');
    const decoder = new Decoder(line);
    while (!decoder.isAtEnd) {
      if (!decoder.next()) {
        if (isStrict) break;
        continue;
      }
      const field = labelNameOf(decoder.key);
      if (field === '' || (!wanted.has(field) && !hints.takes(field))) continue;
      if (!wanted.has(field) && labels.extracted.has(field)) continue;
      let name = fields.get(field) ?? field;
      if (!wanted.has(name)) continue;
      if (labels.isTaken(name)) {
        name = labels.freeName(name);
        if (labels.extracted.has(name) || !hints.takes(name)) break;
      }
      const { value } = decoder;
      labels.set(name, value.includes('\uFFFD') ? '' : value);
      if (hints.isComplete(labels)) break;
    }
    if (isStrict && decoder.error !== undefined) labels.fail(logfmtError, decoder.error);
    return line;
  };
}
