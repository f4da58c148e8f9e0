// A chat: its turns and settings. They are neither stored in the browser nor part of the address.
import { batch, type Signal, signal } from '@preact/signals';
import { isAborted } from '../../api.ts';
import { bodyOf, type ChatBody, type Message, type Settings, SettingsError, type ToolCall } from './request.ts';
import { type Chunk, type Opened, openStream, type Usage } from './stream.ts';

export interface Figures {
  firstMs?: number; // until the first token
  totalMs: number;
  usage?: Usage;
  finish?: string; // the finish reason
  servedBy: string;
}

export interface Turn {
  id: number;
  role: 'user' | 'assistant' | 'tool';
  text: Signal<string>;
  reasoning: Signal<string>;
  calls: Signal<readonly ToolCall[]>;
  figures: Signal<Figures | undefined>; // set at the end of the turn
  failure: Signal<unknown>;
  callId?: string; // the tool call that this turn answers
}

export type OpenStream = (body: ChatBody, signal: AbortSignal) => Promise<Opened>;

export class ChatModel {
  readonly settings: Signal<Settings>;
  readonly turns = signal<readonly Turn[]>([]);
  readonly isBusy = signal(false);
  readonly problem = signal<SettingsError | undefined>(undefined);
  readonly draft = signal('');
  readonly #open: OpenStream;
  readonly #now: () => number;
  #asking: AbortController | undefined;
  #count = 0;

  constructor(model: string, open: OpenStream = openStream, now = () => performance.now()) {
    this.settings = signal({ model, system: '', temperature: '', maxTokens: '', seed: '', schema: '', tools: '' });
    this.#open = open;
    this.#now = now;
  }

  set(change: Partial<Settings>): void {
    batch(() => {
      this.settings.value = { ...this.settings.value, ...change };
      this.problem.value = undefined;
    });
  }

  // The body of the next request; without a draft, of the last one.
  body(): ChatBody {
    const draft = this.draft.value.trim();
    const turns = draft === '' ? this.turns.value.slice(0, this.#promptLength()) : this.turns.value;
    const messages = turns.flatMap(messageOf);
    return bodyOf(this.settings.value, draft === '' ? messages : [...messages, { role: 'user', content: draft }]);
  }

  async send(): Promise<void> {
    const text = this.draft.value;
    if (text.trim() === '' || this.isBusy.value || !this.#isValid()) return;
    this.draft.value = '';
    this.turns.value = [...this.turns.value, this.#turn('user', text)];
    await this.#answer();
  }

  // Answers a tool call, so that the model can continue.
  async answerCall(call: ToolCall, text: string): Promise<void> {
    if (this.isBusy.value || !this.#isValid()) return;
    this.turns.value = [...this.turns.value, { ...this.#turn('tool', text), callId: call.id }];
    const answered = new Set(this.turns.value.map(({ callId }) => callId));
    const isOpen = this.turns.value.some((turn) => turn.calls.value.some(({ id }) => !answered.has(id)));
    if (!isOpen) await this.#answer();
  }

  // Requests the last answer again.
  async regenerate(): Promise<void> {
    if (this.isBusy.value || !this.#isValid()) return;
    this.turns.value = this.turns.value.slice(0, this.#promptLength());
    if (this.turns.value.length > 0) await this.#answer();
  }

  // Removes this turn and the later ones, and puts its text into the draft.
  edit(turn: Turn): void {
    this.stop();
    batch(() => {
      this.draft.value = turn.text.value;
      this.turns.value = this.turns.value.slice(0, this.turns.value.indexOf(turn));
    });
  }

  clear(): void {
    this.stop();
    this.turns.value = [];
  }

  stop(): void {
    this.#asking?.abort();
  }

  // The turns up to the last one that is not the model's.
  #promptLength(): number {
    return this.turns.value.findLastIndex(({ role }) => role !== 'assistant') + 1;
  }

  #isValid(): boolean {
    try {
      bodyOf(this.settings.value, []);
      return true;
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      this.problem.value = error;
      return false;
    }
  }

  async #answer(): Promise<void> {
    const body = bodyOf(this.settings.value, this.turns.value.flatMap(messageOf));
    const turn = this.#turn('assistant', '');
    const asking = new AbortController();
    this.#asking = asking;
    const begunMs = this.#now();
    const figures: Figures = { totalMs: 0, servedBy: '' };
    batch(() => {
      this.turns.value = [...this.turns.value, turn];
      this.isBusy.value = true;
    });
    try {
      const { servedBy, chunks } = await this.#open(body, asking.signal);
      figures.servedBy = servedBy;
      for await (const chunk of chunks) {
        if (figures.firstMs === undefined && !chunk.usage) figures.firstMs = this.#now() - begunMs;
        take(turn, chunk, figures);
      }
    } catch (error) {
      if (!asking.signal.aborted && !isAborted(error)) turn.failure.value = error;
      else figures.finish = 'stopped';
    }
    figures.totalMs = this.#now() - begunMs;
    batch(() => {
      turn.figures.value = figures;
      this.isBusy.value = false;
    });
  }

  #turn(role: Turn['role'], text: string): Turn {
    return {
      id: ++this.#count,
      role,
      text: signal(text),
      reasoning: signal(''),
      calls: signal<readonly ToolCall[]>([]),
      figures: signal<Figures | undefined>(undefined),
      failure: signal<unknown>(undefined),
    };
  }
}

function take(turn: Turn, { text, reasoning, call, finish, usage }: Chunk, figures: Figures): void {
  if (text !== undefined) turn.text.value += text;
  if (reasoning !== undefined) turn.reasoning.value += reasoning;
  if (call) turn.calls.value = [...turn.calls.value, call];
  if (finish !== undefined) figures.finish = finish;
  if (usage) figures.usage = usage;
}

// Answers that failed before any text are not sent to the model.
function messageOf({ role, text, calls, failure, callId }: Turn): Message[] {
  const content = text.value;
  if (role === 'tool') return [{ role, content, tool_call_id: callId ?? '' }];
  if (role === 'user') return [{ role, content }];
  if (content === '' && calls.value.length === 0 && failure.value !== undefined) return [];
  if (calls.value.length === 0) return [{ role, content }];
  return [
    {
      role,
      content: content === '' ? null : content,
      tool_calls: calls.value.map(({ id, type, function: named }) => ({ id, type, function: named })),
    },
  ];
}

const leastSpeakingMs = 50; // shorter answers have no meaningful speed

// `16 + 42 tokens · first after 120 ms · 1.4 s in total · 33 tokens per second`
export function figuresText({ firstMs, totalMs, usage, finish }: Figures): string {
  const parts: string[] = [];
  if (usage) parts.push(`${usage.prompt_tokens} + ${usage.completion_tokens} tokens`);
  if (firstMs !== undefined) parts.push(`first after ${durationText(firstMs)}`);
  parts.push(`${durationText(totalMs)} in total`);
  const speakingMs = totalMs - (firstMs ?? 0);
  if (usage && usage.completion_tokens > 1 && speakingMs >= leastSpeakingMs)
    parts.push(`${rateText((usage.completion_tokens * 1000) / speakingMs)} tokens per second`);
  if (finish === 'length') parts.push('truncated at the maximum tokens');
  if (finish === 'stopped') parts.push('stopped');
  return parts.join(' · ');
}

const durationText = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
const rateText = (rate: number): string => (rate < 10 ? rate.toFixed(1) : String(Math.round(rate)));
