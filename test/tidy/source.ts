// Source files as the tidy tests read them. A lexer separates code, comments and strings, so that a rule about code
// ignores a comment that explains it. It recognizes a regular expression by the text before its slash.

export interface Source {
  path: string; // from the project's root
  text: string;
  code: string; // same length as text; comments, strings and regular expressions are blank inside
  comments: string; // same length as text; everything but comments is blank
  imports: { path: string; line: number; isUrl: boolean }[]; // isUrl: `new URL('./x.ts', import.meta.url)`
}

export function readSource(path: string, text: string): Source {
  const { code, comments } = split(text);
  return { path, text, code, comments, imports: importsOf(text, code) };
}

// Comments, strings and JSX text, where the file has them. Code is NUL, so that no phrase extends over it.
export function proseOf(path: string, text: string): string {
  const parts = partsOf(text);
  if (path.endsWith('.tsx'))
    for (const { 1: words = '', index } of keep(text, parts, ['code']).matchAll(jsxText))
      parts.fill('string', index + 1, index + 1 + words.length);
  return keep(text, parts, ['comment', 'string'], '\0');
}

const jsxText = /(?<!=)[>}]([^<>{}=;]*\w \w[^<>{}=;]*)(?=[<{])/g;

export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

function importsOf(text: string, code: string): Source['imports'] {
  const found: Source['imports'] = [];
  for (const match of code.matchAll(/\b(?:from|import|import\s*\(|new URL\()\s*(['"`])/g)) {
    const begin = match.index + match[0].length;
    const path = text.slice(begin, text.indexOf(match[1] as string, begin));
    const isUrl = match[0].startsWith('new');
    const put = path.includes('${'); // put together at run time: nothing to judge here
    if (put || (isUrl && !path.startsWith('.'))) continue;
    found.push({ path, line: lineAt(text, match.index), isUrl });
  }
  return found;
}

type Part = 'code' | 'comment' | 'string' | 'pattern';

function split(text: string): { code: string; comments: string } {
  const parts = partsOf(text);
  return { code: keep(text, parts, ['code']), comments: keep(text, parts, ['comment']) };
}

function partsOf(text: string): Part[] {
  const parts: Part[] = new Array(text.length).fill('code');
  const braces: number[] = []; // per open `${`: how many plain braces are open inside it
  let at = 0;
  const take = (end: number, part: Part): void => {
    parts.fill(part, at, end);
    at = end;
  };
  while (at < text.length) {
    const two = text.slice(at, at + 2);
    const one = two[0] as string;
    if (two === '//') take(endOf(text, '\n', at), 'comment');
    else if (two === '/*') take(endOf(text, '*/', at) + 2, 'comment');
    else if (one === "'" || one === '"') inside(closing(text, at + 1, one));
    else if (one === '`') template(at + 1);
    else if (one === '/' && startsRegExp(text, at)) inside(closingRegExp(text, at + 1), 'pattern');
    else if (one === '{' && braces.length > 0) braces.push((braces.pop() as number) + 1, ...skip());
    else if (one === '}' && braces.length > 0) closeBrace();
    else at += 1;
  }
  return parts;

  function skip(): [] {
    at += 1;
    return [];
  }
  // The quotes remain code, so that a rule sees where a string is.
  function inside(end: number, part: Part = 'string'): void {
    at += 1;
    take(end, part);
    at = end + 1;
  }
  function closeBrace(): void {
    const depth = braces.pop() as number;
    if (depth === 0) template(at + 1);
    else {
      braces.push(depth - 1);
      at += 1;
    }
  }
  function template(from: number): void {
    let end = from;
    while (end < text.length && text[end] !== '`' && !text.startsWith('${', end)) end += text[end] === '\\' ? 2 : 1;
    at = from;
    take(Math.min(end, text.length), 'string');
    if (text.startsWith('${', end)) {
      braces.push(0);
      at = end + 2;
    } else at = end + 1;
  }
}

function keep(text: string, parts: Part[], wanted: Part[], blank = ' '): string {
  let kept = '';
  for (let at = 0, end = 0; at < text.length; at = end) {
    const part = parts[at] as Part;
    while (end < text.length && parts[end] === part) end += 1;
    const run = text.slice(at, end);
    kept += wanted.includes(part) ? run : run.replaceAll(/[^\n ]/g, blank);
  }
  return kept;
}

function endOf(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from);
  return end < 0 ? text.length : end;
}

function closing(text: string, from: number, quote: string): number {
  let end = from;
  while (end < text.length && text[end] !== quote && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
  return end;
}

function closingRegExp(text: string, from: number): number {
  let inClass = false;
  let end = from;
  for (; end < text.length && text[end] !== '\n' && (inClass || text[end] !== '/'); end++) {
    if (text[end] === '\\') end += 1;
    else if (text[end] === '[') inClass = true;
    else if (text[end] === ']') inClass = false;
  }
  return end;
}

function startsRegExp(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 40), at).trimEnd();
  return before === '' || /[(,=:[!&|?{};+*%<>~^-]$|\b(?:return|typeof|case|in|of|await)$/.test(before);
}
