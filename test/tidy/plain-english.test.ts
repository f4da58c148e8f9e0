// Comments, messages, labels and pages are in plain English: none has a phrase of the word list next to this file.
import assert from 'node:assert/strict';
import { extname } from 'node:path';
import { test } from 'node:test';
import { exempt, names, phrases } from './plain-english-words.ts';
import { lineAt, proseOf, readSource } from './source.ts';
import { everything, read, report, tracked } from './tree.ts';

// bin/help.txt repeats the texts of src.
const isSkipped = (path: string): boolean => path.startsWith('test/tidy/plain-english') || path === 'bin/help.txt';
const isRead = (path: string): boolean =>
  /^(?:src|console|test|bench|kit|bin|docs)\/|^[^/]+\.md$/.test(path) && kinds.has(extname(path)) && !isSkipped(path);
const withLexer = ['.ts', '.tsx', '.js', '.cjs', '.mjs', '.css', '.go'];
// Languages whose comments begin with a hash: what is neither a comment nor a string is code.
const withHash = ['.py', '.sh', '.tf'];
const hashProse = /#.*|"""[\s\S]*?"""|'[^'\n]*'|"[^"\n]*"/g;
const kinds = new Set([...withLexer, ...withHash, '.md', '.txt', '.yaml', '.yml']);

const searches = phrases.map(({ phrase, instead }) => ({
  search: new RegExp(phrase.source.replaceAll(' ', String.raw`\s+`), `g${phrase.flags}`),
  instead,
}));

const blank = (text: string): string => text.replaceAll(/\S/g, '\0');

function blankAround(text: string, kept: RegExp): string {
  let prose = '';
  for (const { 0: run, index } of text.matchAll(kept)) prose += blank(text.slice(prose.length, index)) + run;
  return prose + blank(text.slice(prose.length));
}

function phrasesIn(path: string, text: string): string[] {
  const kind = extname(path);
  let prose = text;
  if (withLexer.includes(kind)) prose = proseOf(path, text);
  if (withHash.includes(kind)) prose = blankAround(text, hashProse);
  prose = prose.replaceAll(/^\s*(?:\/\/|\*|#|>)/gm, (mark) => mark.replaceAll(/\S/g, ' '));
  for (const { text: known } of exempt) prose = prose.replaceAll(known, blank);
  return searches.flatMap(({ search, instead }) =>
    [...prose.matchAll(search)].map(({ 0: found, index }) => {
      return `${path}:${lineAt(text, index)}: "${found.replaceAll(/\s+/g, ' ')}". Write instead: ${instead}`;
    }),
  );
}

test('texts are in plain English', () => {
  const found = tracked()
    .filter(isRead)
    .flatMap((path) => phrasesIn(path, read(path)));
  report(found, 'A reader must read these phrases twice.');
});

// One place per name and file: a declared name is also used.
const namesIn = (path: string, code: string): string[] =>
  names.flatMap(({ name, instead }) => {
    const first = code.matchAll(name).next().value;
    return first ? [`${path}:${lineAt(code, first.index)}: "${first[0]}". Write instead: ${instead}`] : [];
  });

test('names in code say what they are', () => {
  const found = everything.flatMap(({ path, code }) => namesIn(path, code));
  report(found, 'A reader can not tell from these names what they are.');
});

test('unclear names are found in declarations and uses, and not in properties, comments and strings', () => {
  for (const [text, count] of [
    ['interface Told {}', 1],
    ['type ShownToken = string;', 1],
    ['const found: Map<Asked, string> = new Map();', 1],
    ['const told = await call();', 1],
    ['const { body: told } = answer;', 1],
    ['const load = (asked: string): string => asked;', 1],
    ['class Client { #asked = 0; }', 1],
    ['for (const thing of things) use(thing);', 1],
    ['function standing(): void {}', 1],
    ["const x = { told: [], 'x-asked': alert.told }; // what was asked", 0],
    ['const isShown = untold + outstanding; const nothing = Showns;', 0],
  ] as const)
    assert.equal(namesIn('x.ts', readSource('x.ts', text).code).length, count, text);
});

test('phrases are found in comments, strings, JSX text and pages, and not in code', () => {
  const found = (path: string, text: string): number => phrasesIn(path, text).length;
  for (const [path, text, count] of [
    ['x.ts', '// The client is\n//   told.', 1],
    ['x.ts', "fail('Somebody holds it');", 1],
    ['x.ts', '`$' + '{a} goes on`', 1],
    ['x.py', 'nobody = run() # for somebody', 1],
    ['x.tsx', '<p>Nobody asked {x} and goes on</p>', 2],
    ['x.md', 'A thing', 1],
    ['x.ts', 'const thing = somebody.tells(anew);', 0],
    ['x.ts', 'const x = /anew/;', 0],
    ['x.ts', '// There is no server, and 50 Mbit/s stands for its rate.', 0],
    ['x.md', 'What is a region? It tells you which.', 0],
  ] as const)
    assert.equal(found(path, text), count, text);
});
