// The tokens in Loki's syntax errors: the name of the wrong token, and the expected tokens if there are at most four.
// They follow from the tokens before it and from the open brackets.
import { rangeOps, vectorOps } from './tree.ts';

const conversions: Readonly<Record<string, string>> = {
  bytes: 'BYTES_CONV',
  duration: 'DURATION_CONV',
  duration_seconds: 'DURATION_SECONDS_CONV',
};
const functionWords: ReadonlySet<string> = new Set([
  ...rangeOps,
  ...vectorOps,
  ...Object.keys(conversions),
  ...['vector', 'label_replace', 'ip'],
]);
const keywords: ReadonlySet<string> = new Set(
  (
    'by without bool offset on ignoring group_left group_right or and unless json regexp logfmt unpack pattern ' +
    'label_format line_format decolorize drop keep unwrap'
  ).split(' '),
);

const tokenForm = new RegExp(
  [
    /#[^\n]*/,
    /"(?:[^"\\\n]|\\.)*"?/,
    /`[^`]*`?/,
    /\[[^\]]*\]?/,
    /--[a-z][a-z-]*/,
    /[|!][=~>]|=[=~]|[<>]=/,
    /[A-Za-z_:][\w:]*/,
    /[\d.][\w.µ]*/,
    /\S/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);

// The name of a token in Loki's lexer; `rest` is the text from the token on.
export function tokenName(rest: string): string {
  const [token = ''] = rest.matchAll(tokenForm).next().value ?? [];
  return token === '' ? '$end' : nameOf(token, rest.slice(token.length));
}

function nameOf(token: string, after: string): string {
  const [first = ''] = token;
  if (first === '"' || first === '`') return 'STRING';
  if (first === '[') return 'RANGE';
  if (/^--[a-z]/.test(token)) return 'FUNCTION_FLAG';
  if (/^[\d.]/.test(token)) return numberName(token);
  if (!/^[A-Za-z_:]/.test(token)) return token;
  const word = token.toLowerCase();
  // A function name is a keyword only if it is called.
  if (functionWords.has(word)) return /^\s*(?:\(|(?:by|without)\s*\()/i.test(after) ? shown(word) : 'IDENTIFIER';
  return keywords.has(word) ? word : 'IDENTIFIER';
}

const shown = (word: string): string => {
  if (conversions[word] !== undefined) return conversions[word];
  return word === 'label_replace' || word === 'ip' ? word : word.toUpperCase();
};

function numberName(token: string): string {
  if (/^(?:[\d.]+(?:ns|us|µs|ms|[smhdwy]))+$/.test(token)) return 'DURATION';
  return /^[\d.]+(?:[kmgtpe]?i?b)$/i.test(token) ? 'BYTES' : 'NUMBER';
}

// The content of a pair of brackets.
type Kind =
  | 'query'
  | 'selector'
  | 'labels' // of a grouping or a match
  | 'prefix' // the labels of a grouping that is written before what it groups
  | 'range'
  | 'logs' // parentheses inside of a range
  | 'call' // with one label, string or number
  | 'replace'
  | 'filter'
  | 'other';

interface Frame {
  kind: Kind;
  hasLogs: boolean; // a selector was read, so a pipeline may follow
  stage: string; // of the pipeline, by its first token; '' where a stage can begin
  isUnwrapped: boolean;
  strings: number;
  call: string; // the called function
}

const frameOf = (kind: Kind, call = ''): Frame => ({
  kind,
  hasLogs: false,
  stage: '',
  isUnwrapped: false,
  strings: 0,
  call,
});

const filterSigns: ReadonlySet<string> = new Set(['|=', '|~', '|>', '!=', '!~', '!>']);
const operators: ReadonlySet<string> = new Set(
  ['+', '-', '*', '/', '%', '^', '==', '!=', '>', '>=', '<', '<='].concat(['or', 'and', 'unless', 'bool']),
);
const labelWords: ReadonlySet<string> = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const rangeWords: ReadonlySet<string> = new Set(rangeOps.map(shown));
const vectorWords: ReadonlySet<string> = new Set(vectorOps.map(shown));
const namedStages: ReadonlySet<string> = new Set(['json', 'logfmt', 'label_format', 'drop', 'keep']);

// Returns ", expecting STRING or ip", or nothing.
export function expecting(before: string): string {
  const frames: Frame[] = [frameOf('query')];
  let [last, previous] = ['', ''];
  let closed: Frame | undefined; // closed by the last token
  for (const { 0: token, index } of before.matchAll(tokenForm)) {
    if (token.startsWith('#')) continue;
    const name = nameOf(token, before.slice(index + token.length));
    closed = step(frames, name, last, previous, closed);
    [previous, last] = [last, name];
  }
  const fitting = fittingAfter(frames.at(-1) as Frame, last, previous, closed);
  return fitting ? `, expecting ${fitting.join(' or ')}` : '';
}

function step(
  frames: Frame[],
  name: string,
  last: string,
  previous: string,
  closed: Frame | undefined,
): Frame | undefined {
  const frame = frames.at(-1) as Frame;
  if (name === '{') frames.push(frameOf('selector'));
  else if (name === '(') frames.push(frameOf(kindAt(frame, last, previous, closed), last));
  else if (name === '}' || name === ')') {
    const ended = frames.length > 1 ? frames.pop() : undefined;
    const outer = frames.at(-1) as Frame;
    if (ended?.kind === 'selector' || ended?.kind === 'logs') outer.hasLogs = true;
    return ended;
  } else if (frame.hasLogs) stageStep(frame, name, last, closed);
  else if (name === 'STRING') frame.strings += 1;
  return undefined;
}

function stageStep(frame: Frame, name: string, last: string, closed: Frame | undefined): void {
  if (name === '|') frame.stage = name;
  else if (frame.stage === '|') frame.stage = name === 'IDENTIFIER' ? 'filter' : name;
  else if (filterSigns.has(name) && !comparesLabel(frame, last) && !operators.has(last)) frame.stage = 'line';
  else if (operators.has(name) && closed?.kind !== 'filter' && endsQuery(frame, name)) frame.stage = '';
  if (name === 'unwrap') frame.isUnwrapped = true;
}

const comparesLabel = ({ stage }: Frame, last: string): boolean =>
  last === 'IDENTIFIER' && ['filter', 'drop', 'keep', 'and', 'or'].includes(stage);
const endsQuery = ({ stage }: Frame, name: string): boolean =>
  stage === '' || (name !== 'or' && name !== 'and' && stage !== 'filter');

function kindAt(frame: Frame, last: string, previous: string, closed: Frame | undefined): Kind {
  if (labelWords.has(last)) return vectorWords.has(previous) || rangeWords.has(previous) ? 'prefix' : 'labels';
  if (rangeWords.has(last)) return 'range';
  if (last === 'ip' || last === 'VECTOR' || last.endsWith('_CONV')) return 'call';
  if (last === 'label_replace') return 'replace';
  if (vectorWords.has(last) || closed?.kind === 'prefix') return 'other';
  if (frame.kind === 'filter' || (frame.hasLogs && frame.stage !== '')) return 'filter';
  return frame.kind === 'range' || frame.kind === 'logs' ? 'logs' : 'other';
}

const signs = ['=', '=~', '!~', '!='];
const atLabels: Readonly<Record<string, string[]>> = {
  '(': ['IDENTIFIER', ')'],
  IDENTIFIER: [',', ')'],
  ',': ['IDENTIFIER'],
};
const atSelector: Readonly<Record<string, string[]>> = {
  '{': ['IDENTIFIER', '}'],
  IDENTIFIER: signs,
  STRING: ['}', ','],
  ',': ['IDENTIFIER'],
  ...Object.fromEntries(signs.map((sign) => [sign, ['STRING']])),
};
const afterWord: Readonly<Record<string, string[]>> = {
  offset: ['DURATION'],
  unwrap: ['IDENTIFIER', ...Object.values(conversions)],
  regexp: ['STRING'],
  pattern: ['STRING'],
  line_format: ['STRING'],
  label_format: ['IDENTIFIER'],
  drop: ['IDENTIFIER'],
  keep: ['IDENTIFIER'],
  RANGE: [')'],
};

function fittingAfter(frame: Frame, last: string, previous: string, closed?: Frame): string[] | undefined {
  const { kind } = frame;
  if (kind === 'selector') return atSelector[last];
  if (kind === 'labels' || kind === 'prefix') return atLabels[last];
  if (kind === 'call') return atCall(frame, last);
  if (closed?.kind === 'prefix') return ['('];
  if (labelWords.has(last)) return last.startsWith('group_') ? undefined : ['('];
  if (rangeWords.has(last) || ['ip', 'VECTOR', 'label_replace'].includes(last) || last.endsWith('_CONV')) return ['('];
  if (last === 'DURATION' && previous === 'offset') return [')'];
  if (afterWord[last]) return afterWord[last];
  if ((last === '+' || last === '-') && isStart(previous)) return ['NUMBER'];
  if (kind === 'filter' || frame.hasLogs) return atPipeline(frame, last, previous, closed);
  if (kind === 'range' || kind === 'logs') return atRange(kind, last);
  if (kind === 'replace') return atReplace(frame, last);
  return undefined;
}

const isStart = (previous: string): boolean =>
  previous === '' || previous === '(' || previous === ',' || previous === '=' || operators.has(previous);

function atCall({ call }: Frame, last: string): string[] | undefined {
  if (last !== '(') return last === '+' || last === '-' ? ['NUMBER'] : [')'];
  return [call === 'ip' ? 'STRING' : call === 'VECTOR' ? 'NUMBER' : 'IDENTIFIER'];
}

function atRange(kind: Kind, last: string): string[] | undefined {
  if (last === '(') return kind === 'range' ? ['NUMBER', '{', '('] : ['{', '('];
  if (last === 'NUMBER') return [','];
  return last === ',' ? ['{', '('] : undefined;
}

function atReplace({ strings }: Frame, last: string): string[] | undefined {
  if (last === ',') return ['STRING'];
  return last === 'STRING' ? [strings < 4 ? ',' : ')'] : undefined;
}

function atPipeline(frame: Frame, last: string, previous: string, closed?: Frame): string[] | undefined {
  const { kind, stage, isUnwrapped } = frame;
  const isFilter = kind === 'filter' || stage === 'filter' || stage === '(';
  if (stage === 'line' && (filterSigns.has(last) || last === 'or')) return ['STRING', 'ip'];
  if (isFilter && ['(', ',', 'and', 'or'].includes(last)) return ['IDENTIFIER', '('];
  if (last === '=~' || last === '!~') return ['STRING'];
  if (isUnwrapped) {
    if (last === '|') return ['IDENTIFIER', '('];
    const isLabel = stage === 'unwrap' && (last === 'IDENTIFIER' || closed?.kind === 'call');
    if (isLabel || last === 'STRING') return ['RANGE', '|'];
  }
  if (!namedStages.has(stage)) return undefined;
  if (last === ',') return ['IDENTIFIER'];
  if (stage === 'label_format') {
    if (last === '=') return ['IDENTIFIER', 'STRING'];
    return last === 'IDENTIFIER' && previous !== '=' ? ['='] : undefined;
  }
  return last === '=' || last === '!=' ? ['STRING'] : undefined;
}
