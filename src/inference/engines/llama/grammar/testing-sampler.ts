// Random texts of a grammar: reads GBNF in tests without a model.

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'set'; ranges: [number, number][] }
  | { kind: 'rule'; name: string }
  | { kind: 'sequence'; parts: Node[] }
  | { kind: 'choice'; parts: Node[] }
  | { kind: 'repeat'; part: Node; least: number; most: number };

export class Sampler {
  readonly #rules: Map<string, Node>;
  readonly #next: () => number; // from 0 to 1

  constructor(grammar: string, next: () => number) {
    const lines = grammar
      .trim()
      .split('\n')
      .map((line) => line.split(' ::= ') as [string, string]);
    this.#rules = new Map(lines.map(([name, body]) => [name, new Reader(body).choice()]));
    this.#next = next;
  }

  text(): string {
    return this.#make({ kind: 'rule', name: 'root' });
  }

  #pick(count: number): number {
    return Math.min(count - 1, Math.floor(this.#next() * count));
  }

  #make(node: Node): string {
    switch (node.kind) {
      case 'text':
        return node.text;
      case 'set': {
        const [from, to] = node.ranges[this.#pick(node.ranges.length)] ?? [0x20, 0x20];
        return String.fromCodePoint(from + this.#pick(to - from + 1));
      }
      case 'rule': {
        const rule = this.#rules.get(node.name);
        if (!rule) throw new Error(`the grammar has no rule ${node.name}`);
        return this.#make(rule);
      }
      case 'sequence':
        return node.parts.map((part) => this.#make(part)).join('');
      case 'choice':
        return this.#make(node.parts[this.#pick(node.parts.length)] as Node);
      case 'repeat': {
        const most = Math.min(node.most, node.least + 6);
        const count = node.least + this.#pick(most - node.least + 1);
        return Array.from({ length: count }, () => this.#make(node.part)).join('');
      }
    }
  }
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  choice(): Node {
    const parts = [this.#sequence()];
    while (this.#text[this.#at] === '|') {
      this.#at++;
      parts.push(this.#sequence());
    }
    return { kind: 'choice', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (;;) {
      while (this.#text[this.#at] === ' ') this.#at++;
      const next = this.#text[this.#at];
      if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', parts };
      parts.push(this.#repeated(this.#atom()));
    }
  }

  #atom(): Node {
    const rest = this.#text.slice(this.#at);
    if (rest.startsWith('(')) {
      this.#at++;
      const inside = this.choice();
      this.#at++;
      return inside;
    }
    if (rest.startsWith('"'))
      return {
        kind: 'text',
        text: this.#until('"')
          .map((code) => String.fromCodePoint(code))
          .join(''),
      };
    if (rest.startsWith('[')) return { kind: 'set', ranges: this.#set() };
    const [name = ''] = /^[\w-]+/.exec(rest) ?? [];
    if (name === '') throw new Error(`unexpected text in the grammar: ${rest.slice(0, 20)}`);
    this.#at += name.length;
    return { kind: 'rule', name };
  }

  #repeated(part: Node): Node {
    const [all, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(this.#text.slice(this.#at)) ?? [];
    const mark = this.#text[this.#at];
    const times: Record<string, [number, number]> = { '?': [0, 1], '*': [0, 99], '+': [1, 99] };
    const [from, to] = all
      ? [Number(least), comma === '' ? Number(least) : Number(most || 99)]
      : (times[mark ?? ''] ?? [-1, -1]);
    if (from < 0) return part;
    this.#at += all?.length ?? 1;
    return { kind: 'repeat', part, least: from, most: to };
  }

  #set(): [number, number][] {
    this.#at++;
    const ranges: [number, number][] = [];
    while (this.#text[this.#at] !== ']') {
      const from = this.#code();
      if (this.#text[this.#at] === '-') {
        this.#at++;
        ranges.push([from, this.#code()]);
      } else ranges.push([from, from]);
    }
    this.#at++;
    return ranges;
  }

  #until(end: string): number[] {
    this.#at++;
    const codes: number[] = [];
    while (this.#text[this.#at] !== end) codes.push(this.#code());
    this.#at++;
    return codes;
  }

  #code(): number {
    const rest = this.#text.slice(this.#at);
    const [escaped, x, u, long] = /^\\(?:x(..)|u(....)|U(.{8}))/.exec(rest) ?? [];
    if (escaped !== undefined) {
      this.#at += escaped.length;
      return Number.parseInt(x ?? u ?? long ?? '', 16);
    }
    const code = (rest.startsWith('\\') ? rest.codePointAt(1) : rest.codePointAt(0)) ?? 0;
    const named = rest.startsWith('\\') ? ({ n: 10, t: 9, r: 13 } as Record<string, number>)[rest[1] ?? ''] : undefined;
    this.#at += (rest.startsWith('\\') ? 1 : 0) + String.fromCodePoint(code).length;
    return named ?? code;
  }
}
