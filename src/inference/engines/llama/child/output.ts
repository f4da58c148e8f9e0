// The output of a model as parts for the client: tokens become text at character boundaries, and reasoning and tool
// calls are separated from the answer.
import type { TextPart, TokenLogprob, Tool } from '../../engine.ts';
import { longestStart } from '../../stop-sequences.ts';
import type { Model, Token } from './library.ts';

const maxPending = 8; // tokens; a character has four bytes at most
const lookBack = 8;

// Turns tokens into text. A token may end inside a character; then it waits for the rest of the character.
export class Detokenizer {
  readonly #model: Model;
  readonly #recent: Token[];
  #pending: Token[] = [];

  constructor(model: Model, prompt: readonly Token[]) {
    this.#model = model;
    this.#recent = prompt.slice(-lookBack);
  }

  add(token: Token): string {
    this.#pending.push(token);
    const text = this.#model.detokenize(this.#pending, false, this.#recent);
    if (text.endsWith('\ufffd') && this.#pending.length < maxPending) return '';
    this.#recent.push(...this.#pending);
    this.#recent.splice(0, this.#recent.length - lookBack);
    this.#pending = [];
    return text;
  }

  rest(): string {
    return this.#model.detokenize(this.#pending, false, this.#recent);
  }
}

const callMarks = ['<tool_call>', '[TOOL_CALLS]', '<|python_tag|>', '{'];
const thinkMark = '<think>';
const thinkEnd = '</think>';

// Separates reasoning, calls and the answer in free text. Text that begins like a call is held back until it is known
// whether it is one.
export class Speech {
  readonly #tools: readonly Tool[];
  readonly #nextId: () => string;
  #state: 'begin' | 'reasoning' | 'answer' | 'call' = 'begin';
  #held = '';

  constructor(tools: readonly Tool[], nextId: () => string) {
    this.#tools = tools;
    this.#nextId = nextId;
  }

  add(text: string, logprobs?: TokenLogprob[]): TextPart[] {
    if (this.#state === 'answer') return textPart(text, logprobs);
    this.#held += text;
    if (this.#state === 'begin') {
      const start = this.#held.trimStart();
      if (start === '' || longestStart(start, thinkMark) === start.length) return [];
      if (start.startsWith(thinkMark)) {
        this.#state = 'reasoning';
        this.#held = start.slice(thinkMark.length);
      } else if (this.#tools.length > 0 && callMarks.some((mark) => start.startsWith(mark) || mark.startsWith(start))) {
        if (callMarks.some((mark) => start.startsWith(mark))) this.#state = 'call';
        return [];
      } else return this.#answer(logprobs);
    }
    return this.#state === 'reasoning' ? this.#reason() : [];
  }

  rest(): TextPart[] {
    const held = this.#held;
    this.#held = '';
    if (this.#state === 'reasoning') return held === '' ? [] : [{ kind: 'reasoning', text: held }];
    if (this.#state === 'answer') return [];
    const calls = this.#state === 'call' ? callsIn(held, this.#tools) : [];
    if (calls.length === 0) return textPart(held);
    return calls.map((call) => ({ kind: 'call', call: { id: this.#nextId(), ...call } }));
  }

  #answer(logprobs?: TokenLogprob[]): TextPart[] {
    this.#state = 'answer';
    const text = this.#held;
    this.#held = '';
    return textPart(text, logprobs);
  }

  #reason(): TextPart[] {
    const at = this.#held.indexOf(thinkEnd);
    const length = at < 0 ? this.#held.length - longestStart(this.#held, thinkEnd) : at;
    const text = this.#held.slice(0, length);
    if (at < 0) this.#held = this.#held.slice(length);
    else {
      this.#held = this.#held.slice(at + thinkEnd.length);
      this.#state = 'begin'; // an answer or a call follows
    }
    return text === '' ? [] : [{ kind: 'reasoning', text }];
  }
}

const textPart = (text: string, logprobs?: TokenLogprob[]): TextPart[] =>
  text === '' && !logprobs?.length ? [] : [{ kind: 'text', text, ...(logprobs && { logprobs }) }];

// Calls in the forms that models are trained on: one JSON object, objects in tags, or a list after a mark.
function callsIn(text: string, tools: readonly Tool[]): { name: string; arguments: string }[] {
  const plain = text.replaceAll(/<\/?tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>/g, '\n').trim();
  const values = parse(plain) ?? plain.split(/\n+/).map(parse);
  const calls = [values].flat(2).map((value) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const { name, arguments: given, parameters } = value as Record<string, unknown>;
    if (typeof name !== 'string' || !tools.some((tool) => tool.name === name)) return undefined;
    return { name, arguments: JSON.stringify(given ?? parameters ?? {}) };
  });
  return calls.includes(undefined) ? [] : (calls as { name: string; arguments: string }[]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
