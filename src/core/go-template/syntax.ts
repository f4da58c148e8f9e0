// The parser of Go templates: text into nodes, which execution.ts evaluates.
import { type Names, type Pipe, parsePipe } from './pipeline.ts';
import { fail } from './values.ts';

export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'action'; pipe: Pipe }
  | { kind: 'if' | 'with' | 'range'; pipe: Pipe; body: Node[]; otherwise: Node[] }
  | { kind: 'break' | 'continue' };

export function parseNodes(text: string, names: Names): Node[] {
  return new NodeReader(pieces(text), names).all();
}

type Piece = { text: string } | { action: string };

// Splits text and actions; trims, and drops comments.
function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  let trims = false;
  for (;;) {
    const open = text.indexOf('{{', from);
    let plain = text.slice(from, open < 0 ? undefined : open);
    if (trims) plain = plain.replace(/^[ \t\r\n]+/, '');
    const trimsBefore = open >= 0 && /^\{\{-[ \t\r\n]/.test(text.slice(open, open + 4));
    if (trimsBefore) plain = withoutSpaceAfter(plain);
    if (plain !== '') found.push({ text: plain });
    if (open < 0) return found;
    const start = open + (trimsBefore ? 3 : 2);
    const close = closing(text, start);
    let action = text.slice(start, close);
    trims = /[ \t\r\n]-$/.test(action);
    if (trims) action = action.slice(0, -1);
    from = close + 2;
    if (!/^\s*\/\*[\s\S]*\*\/\s*$/.test(action)) found.push({ action: action.trim() });
  }
}

function withoutSpaceAfter(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\r\n'.includes(text[end - 1] as string)) end--;
  return text.slice(0, end);
}

function closing(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text.startsWith('}}', at)) return at;
    const quote = text[at];
    if (quote !== '"' && quote !== '`' && quote !== "'") continue;
    at++;
    while (at < text.length && text[at] !== quote) at += quote !== '`' && text[at] === '\\' ? 2 : 1;
  }
  return fail('unclosed action');
}

const wordForm = /^([a-z]+)(?:\s+([\s\S]*))?$/;
const deepest = 50;

class NodeReader {
  readonly #pieces: Piece[];
  readonly #names: Names;
  #at = 0;
  #depth = 0;
  #loops = 0;

  constructor(all: Piece[], names: Names) {
    this.#pieces = all;
    this.#names = names;
  }

  all(): Node[] {
    const { nodes, end } = this.#block();
    if (end !== undefined) fail(`unexpected {{${end}}}`);
    return nodes;
  }

  // Up to the {{else}} or {{end}} that ends this part.
  #block(): { nodes: Node[]; end?: string } {
    const nodes: Node[] = [];
    while (this.#at < this.#pieces.length) {
      const piece = this.#pieces[this.#at++] as Piece;
      if ('text' in piece) {
        nodes.push({ kind: 'text', text: piece.text });
        continue;
      }
      const [, keyword = '', rest = ''] = wordForm.exec(piece.action) ?? [];
      if (keyword === 'else' || keyword === 'end') return { nodes, end: piece.action };
      if (keyword === 'if' || keyword === 'with' || keyword === 'range') nodes.push(this.#control(keyword, rest));
      else if (keyword === 'break' || keyword === 'continue') {
        if (this.#loops === 0) fail(`{{${keyword}}} outside {{range}}`);
        nodes.push({ kind: keyword });
      } else if (/^(?:define|template|block)$/.test(keyword)) fail(`{{${keyword}}} is not supported here`);
      else nodes.push({ kind: 'action', pipe: this.#pipe(piece.action) });
    }
    return { nodes };
  }

  #control(kind: 'if' | 'with' | 'range', condition: string): Node {
    if (++this.#depth > deepest) fail('too many blocks inside each other');
    const declared = this.#names.variables.length;
    this.#loops += Number(kind === 'range');
    const pipe = this.#pipe(condition);
    const { nodes: body, end } = this.#block();
    this.#loops -= Number(kind === 'range');
    const otherwise = this.#otherwise(end);
    this.#names.variables.length = declared;
    this.#depth--;
    return { kind, pipe, body, otherwise };
  }

  #otherwise(end: string | undefined): Node[] {
    if (end === undefined) fail('unexpected EOF');
    if (end === 'end') return [];
    const [, keyword, condition = ''] = /^else(?:\s+(if|with)\s+([\s\S]+))?$/.exec(end) ?? [];
    if (keyword === 'if' || keyword === 'with') return [this.#control(keyword, condition)];
    if (end !== 'else') fail(`unexpected {{${end}}}`);
    const { nodes, end: last } = this.#block();
    if (last !== 'end') fail(last === undefined ? 'unexpected EOF' : `unexpected {{${last}}}`);
    return nodes;
  }

  #pipe(text: string): Pipe {
    return parsePipe(text, this.#names);
  }
}
