// The position of the first syntax error in a JSON text, for its author. V8's own message has it for some errors only.

const space = /[ \t\r\n]*/y;
const words = [
  /[{}[\],:]/u,
  /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/u,
  /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/u,
  /(?:true|false|null)(?!\w)/u,
];
const token = new RegExp(words.map(({ source }) => source).join('|'), 'uy');

// The tokens that may come next; also a closing bracket where the list or object may end.
type Next = 'value' | 'first' | 'key' | 'firstKey' | 'colon' | 'more' | 'end';

// Line and column of the first invalid token, both from 1. Undefined: it is valid JSON.
export function jsonErrorPosition(text: string): { line: number; column: number } | undefined {
  const open: ('{' | '[')[] = [];
  let next: Next = 'value';
  for (let at = 0; ; ) {
    at = endOf(space, text, at) ?? at;
    if (next === 'end' && at === text.length) return undefined;
    const to = endOf(token, text, at);
    const after: Next | undefined = to === undefined ? undefined : following(next, text.slice(at, to), open);
    if (to === undefined || after === undefined) return placeOf(text, at);
    next = after;
    at = to;
  }
}

function endOf(form: RegExp, text: string, at: number): number | undefined {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : undefined;
}

function following(next: Next, word: string, open: ('{' | '[')[]): Next | undefined {
  if (word === '{' || word === '[') {
    if (next !== 'value' && next !== 'first') return undefined;
    open.push(word);
    return word === '{' ? 'firstKey' : 'first';
  }
  if (word === '}' || word === ']') {
    const mayEnd = next === 'more' || next === (word === '}' ? 'firstKey' : 'first');
    return mayEnd && open.pop() === (word === '}' ? '{' : '[') ? afterValue(open) : undefined;
  }
  if (word === ',') return next === 'more' ? (open.at(-1) === '{' ? 'key' : 'value') : undefined;
  if (word === ':') return next === 'colon' ? 'value' : undefined;
  if (next === 'key' || next === 'firstKey') return word.startsWith('"') ? 'colon' : undefined;
  return next === 'value' || next === 'first' ? afterValue(open) : undefined;
}

const afterValue = (open: readonly string[]): Next => (open.length > 0 ? 'more' : 'end');

function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
