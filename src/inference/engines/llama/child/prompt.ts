// Turns a conversation into the tokens that the model was trained to continue, with the model's own template. Users'
// texts never become control tokens: the template is rendered with placeholders, and each text is tokenized alone.
import { type ChatTurn, EngineError, type TextOrder, type Tool } from '../../engine.ts';
import type { Jinja, Model, Token } from './library.ts';

type Message = Record<string, unknown>;

const pieceLength = 32_768; // characters
const cutTokens = 8; // that a piece may have more because it was cut

// SmolLM2's own template adds a system message that the client did not send, and the model answers worse with it.
const chatMl =
  "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n'}}" +
  "{% endfor %}{{ '<|im_start|>assistant\\n' }}";
const untrained =
  "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + '\\n\\n' }}{% endfor %}" +
  "{{ 'assistant:' }}";

const begin = '\ue000';
const end = '\ue001';
const placeholder = /\ue000(\d+)\ue001/;

export class Prompts {
  readonly #model: Model;
  readonly #template: { render(values: Record<string, unknown>): string };
  readonly #knowsTools: boolean;
  readonly #roleOfResults: 'system' | 'user'; // if the template does not support tools
  readonly #addsSpaces: boolean; // before each text that is tokenized alone

  constructor(model: Model, { Template }: Jinja) {
    const { chat_template: own, ggml } = model.fileInfo.metadata.tokenizer;
    this.#model = model;
    this.#knowsTools = own?.includes('tools') === true;
    const isPlainChatMl = own?.includes('<|im_start|>') === true && !this.#knowsTools;
    this.#roleOfResults = isPlainChatMl ? 'system' : 'user'; // other templates accept no system message later on
    this.#template = new Template(isPlainChatMl ? chatMl : (own ?? untrained));
    this.#addsSpaces = ggml?.model === 'llama';
  }

  tokens(input: TextOrder['input'], reasoningEffort?: string): Token[] {
    if ('prompt' in input) {
      const { bos, shouldPrependBosToken } = this.#model.tokens;
      const text = this.#model.tokenize(input.prompt, false);
      return shouldPrependBosToken && bos !== null ? [bos, ...text] : text;
    }
    const texts: string[] = [];
    const hidden = (text: string): string => (text === '' ? '' : `${begin}${texts.push(text) - 1}${end}`);
    const turns = this.#knowsTools ? input.turns : withoutTools(input.turns, input.tools, this.#roleOfResults);
    const rendered = this.#render(turns, input.tools, hidden, reasoningEffort);
    return rendered.split(placeholder).flatMap((piece, at) => {
      const isText = at % 2 === 1;
      const text = isText ? texts[Number(piece)] : piece;
      if (text === undefined || text === '') return [];
      return this.#model.tokenize(text, !isText, this.#addsSpaces && at > 0 ? 'trimLeadingSpace' : undefined);
    });
  }

  // The number of tokens of a prompt. A prompt that may be too long is counted piece by piece until it is: other calls
  // get their turns in between, and megabytes of text are not read to the end. Then the number is a lower bound.
  async count(input: TextOrder['input'], most: number, signal: AbortSignal): Promise<number> {
    const texts = 'prompt' in input ? [input.prompt] : input.turns.map(({ content }) => content);
    if (texts.reduce((sum, { length }) => sum + length, 0) > pieceLength) {
      let counted = 0;
      for (const text of texts)
        for (let at = 0; at < text.length; at += pieceLength) {
          counted += Math.max(0, this.#model.tokenize(text.slice(at, at + pieceLength)).length - cutTokens);
          if (counted > most || signal.aborted) return counted;
          await new Promise(setImmediate);
        }
    }
    return this.tokens(input).length;
  }

  #render(turns: ChatTurn[], tools: Tool[], hidden: (text: string) => string, reasoningEffort?: string): string {
    const values = {
      add_generation_prompt: true,
      bos_token: this.#model.tokens.bosString ?? '',
      eos_token: this.#model.tokens.eosString ?? '',
      ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
      ...(this.#knowsTools && tools.length > 0 && { tools: tools.map(toolFor) }),
    };
    const render = (shown: ChatTurn[]): string =>
      this.#template.render({ ...values, messages: shown.map((turn) => messageOf(turn, hidden)) });
    try {
      return render(turns);
    } catch (error) {
      // Templates of models without a system role refuse it.
      if (turns[0]?.role === 'system') return this.#render(withoutSystem(turns), tools, hidden, reasoningEffort);
      const { message } = error as Error;
      throw new EngineError('refused', `The template of the model does not accept these messages: ${message}`);
    }
  }
}

const toolFor = ({ name, description, parameters }: Tool): Message => ({
  type: 'function',
  function: { name, description: description ?? '', parameters: parameters ?? { type: 'object', properties: {} } },
});

function messageOf(turn: ChatTurn, hidden: (text: string) => string): Message {
  const calls = turn.toolCalls?.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: parsed(given) },
  }));
  return {
    role: turn.role,
    content: hidden(turn.content),
    ...(turn.name !== undefined && { name: turn.name }),
    ...(calls && calls.length > 0 && { tool_calls: calls }),
    ...(turn.toolCallId !== undefined && { tool_call_id: turn.toolCallId }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function withoutSystem(turns: ChatTurn[]): ChatTurn[] {
  const [system, first, ...rest] = turns;
  if (!system || !first) return turns.map((turn) => ({ ...turn, role: 'user' }));
  return [{ ...first, content: `${system.content}\n\n${first.content}` }, ...rest];
}

// For templates without tools: calls and results as text, and the tools in the system message.
function withoutTools(turns: ChatTurn[], tools: Tool[], roleOfResults: 'system' | 'user'): ChatTurn[] {
  const calls = turns.flatMap(({ toolCalls = [] }) => toolCalls);
  const plain = turns.map((turn): ChatTurn => {
    if (turn.toolCalls && turn.toolCalls.length > 0) {
      const said = turn.toolCalls.map(
        ({ name, arguments: given }) => `{"name":${JSON.stringify(name)},"arguments":${given}}`,
      );
      return { role: 'assistant', content: [turn.content, ...said].filter(Boolean).join('\n') };
    }
    if (turn.role === 'tool') {
      const name = calls.find(({ id }) => id === turn.toolCallId)?.name ?? 'the function';
      return { role: roleOfResults, content: `Result of ${name}: ${turn.content}` };
    }
    return turn;
  });
  if (tools.length === 0) return plain;
  const about = tools.map(({ name, description = '', parameters }) =>
    JSON.stringify({ name, description, parameters: parameters ?? {} }),
  );
  const instructions = [
    'You can call these functions. To call one, answer only with {"name":NAME,"arguments":{…}}.',
    ...about,
  ].join('\n');
  const [first, ...rest] = plain;
  if (first?.role === 'system') return [{ ...first, content: `${first.content}\n\n${instructions}` }, ...rest];
  return [{ role: 'system', content: instructions }, ...plain];
}
