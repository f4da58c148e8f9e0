// Builds the body of a request from the turns of a chat and its settings, which are form texts.

export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
}

export interface Settings {
  model: string;
  system: string;
  temperature: string; // empty: the model's default
  maxTokens: string;
  seed: string;
  schema: string; // JSON Schema for the answer; empty: free text
  tools: string; // a list of functions that the model may call
}

export interface ChatBody {
  model: string;
  messages: Message[];
  [field: string]: unknown;
}

// A setting that the user has to correct first.
export class SettingsError extends Error {
  readonly field: keyof Settings;

  constructor(field: keyof Settings, message: string) {
    super(message);
    this.field = field;
  }
}

export function bodyOf(settings: Settings, turns: readonly Message[]): ChatBody {
  const { model, system, schema, tools } = settings;
  const messages: Message[] = system.trim() === '' ? [...turns] : [{ role: 'system', content: system }, ...turns];
  const given = (field: keyof Settings, name: string): object => {
    const text = settings[field].trim();
    if (text === '') return {};
    if (!Number.isFinite(Number(text))) throw new SettingsError(field, 'Type a number.');
    return { [name]: Number(text) };
  };
  return {
    model,
    messages,
    ...given('temperature', 'temperature'),
    ...given('maxTokens', 'max_tokens'),
    ...given('seed', 'seed'),
    ...(schema.trim() !== '' && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', strict: true, schema: jsonIn('schema', schema) },
      },
    }),
    ...(tools.trim() !== '' && { tools: jsonIn('tools', tools) }),
  };
}

function jsonIn(field: keyof Settings, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SettingsError(field, error instanceof Error ? error.message : 'The text is not valid JSON.');
  }
}

export const exampleSchema = JSON.stringify(
  {
    type: 'object',
    properties: { city: { type: 'string' }, inhabitants: { type: 'integer', minimum: 0 } },
    required: ['city', 'inhabitants'],
    additionalProperties: false,
  },
  undefined,
  2,
);

export const exampleTools = JSON.stringify(
  [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather in a city',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    },
  ],
  undefined,
  2,
);
