// Turns a request for a chat completion into an order for an engine.
import { isObject, type Json } from '../../base/json.ts';
import type { ChatTurn, JsonSchema, TextForm, TextOrder, Tool, ToolCall } from '../engines/engine.ts';
import { ParameterFault } from './faults.ts';
import { Fields, isPlainText } from './fields.ts';
import { type Sampling, samplingOf } from './sampling.ts';
import { longestModel } from './tools.ts';

export interface ChatRequest extends Sampling {
  model: string;
  order: Omit<TextOrder, 'contract'>;
  schemas: SentSchema[];
}

// A JSON schema of the request that has to be validated.
export interface SentSchema {
  at: string; // the parameter
  schema: JsonSchema;
}

const maxTurns = 10_000;
const maxTools = 128;
const maxSchemas = 250_000; // characters of all schemas of a request
const maxTopLogprobs = 20;
// `developer` is the newer word for `system`.
const roles = { system: 'system', developer: 'system', user: 'user', assistant: 'assistant', tool: 'tool' } as const;

export function chatRequestOf(body: Json | undefined): ChatRequest {
  const fields = new Fields(body);
  const model = fields.text('model', longestModel);
  const turns = fields.list('messages', maxTurns)?.map(turnOf);
  if (!turns) throw fields.refuse('messages', 'they are required');
  if (turns.length === 0) throw fields.refuse('messages', 'at least one is needed');
  demandCalls(turns);
  const tools = fields.list('tools', maxTools)?.map(toolOf) ?? [];
  const schemas = toolSchemas(tools);
  const choice = choiceOf(fields, tools);
  const form = choice.form ?? formOf(fields.inside('response_format'), schemas);
  const wantsLogprobs = fields.flag('logprobs');
  const topLogprobs = fields.whole('top_logprobs', 0, maxTopLogprobs);
  if (topLogprobs !== undefined && !wantsLogprobs) throw fields.refuse('top_logprobs', 'it needs logprobs: true');
  const reasoningEffort = fields.oneOf('reasoning_effort', ['none', 'minimal', 'low', 'medium', 'high']);
  const { order, ...sampling } = samplingOf(fields);
  return {
    model,
    ...sampling,
    schemas,
    order: {
      ...order,
      input: { turns, tools: choice.offers ? tools : [] },
      ...(form && { form }),
      ...(wantsLogprobs && { topLogprobs: topLogprobs ?? 0 }),
      ...(reasoningEffort && { reasoningEffort }),
    },
  };
}

function turnOf(message: Json, index: number): ChatTurn {
  const at = `messages[${index}]`;
  const fields = new Fields(message, at);
  const word = fields.oneOf('role', Object.keys(roles) as (keyof typeof roles)[]);
  if (!word) throw fields.refuse('role', 'it is required');
  const toolCalls = fields.list('tool_calls', maxTools)?.map((call, one) => callOf(call, `${at}.tool_calls[${one}]`));
  const name = fields.maybeText('name');
  const toolCallId = fields.maybeText('tool_call_id');
  const content = fields.raw('content');
  if (content === undefined && word !== 'assistant') throw fields.refuse('content', 'it is required');
  return {
    role: roles[word],
    ...contentOf(content, `${at}.content`),
    ...(name !== undefined && { name }),
    ...(toolCalls?.length && { toolCalls }),
    ...(toolCallId !== undefined && { toolCallId }),
  };
}

// The result of a tool names a call that the assistant made before.
function demandCalls(turns: readonly ChatTurn[]): void {
  const made = new Set<string>();
  for (const [index, { role, toolCalls = [], toolCallId }] of turns.entries()) {
    for (const { id } of toolCalls) made.add(id);
    if (role !== 'tool' || (toolCallId !== undefined && made.has(toolCallId))) continue;
    const wrong = toolCallId === undefined ? 'it is required' : 'no message before it has a tool call of this id';
    throw new ParameterFault(`messages[${index}].tool_call_id`, wrong);
  }
}

function contentOf(content: Json | undefined, at: string): Pick<ChatTurn, 'content' | 'images'> {
  if (content === undefined) return { content: '' };
  if (typeof content === 'string') return { content: plain(content, at) };
  if (!Array.isArray(content)) throw new ParameterFault(at, 'a string or a list of parts is expected');
  const texts: string[] = [];
  const images: string[] = [];
  for (const [index, part] of content.entries()) {
    const fields = new Fields(part, `${at}[${index}]`);
    const type = fields.oneOf('type', ['text', 'image_url', 'refusal']);
    if (type === 'text') texts.push(fields.text('text'));
    else if (type === 'refusal') texts.push(fields.text('refusal'));
    else if (type === 'image_url') images.push(imageOf(fields));
    else throw fields.refuse('type', 'it is required');
  }
  return { content: texts.join('\n'), ...(images.length > 0 && { images }) };
}

function plain(content: string, at: string): string {
  if (isPlainText(content)) return content;
  throw new ParameterFault(at, 'well-formed Unicode without NUL is expected');
}

function imageOf(fields: Fields): string {
  const image = fields.inside('image_url');
  if (!image) throw fields.refuse('image_url', 'it is required');
  const url = image.text('url');
  if (!/^(?:https?:\/\/|data:image\/)/.test(url)) throw image.refuse('url', 'an https: or data: address is expected');
  return url;
}

function callOf(call: Json, at: string): ToolCall {
  const fields = new Fields(call, at);
  const called = fields.inside('function');
  if (!called) throw fields.refuse('function', 'it is required');
  return { id: fields.text('id'), name: called.text('name'), arguments: called.text('arguments') };
}

function toolOf(tool: Json, index: number): Tool {
  const fields = new Fields(tool, `tools[${index}]`);
  if (fields.oneOf('type', ['function']) === undefined) throw fields.refuse('type', 'it is required');
  const described = fields.inside('function');
  if (!described) throw fields.refuse('function', 'it is required');
  const name = described.text('name');
  if (!/^[\w.-]{1,64}$/.test(name)) throw described.refuse('name', '1 to 64 letters, digits, _ and - are expected');
  const description = described.maybeText('description');
  const parameters = described.raw('parameters');
  if (parameters !== undefined && !isObject(parameters))
    throw described.refuse('parameters', 'a JSON schema is expected');
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters: parameters as JsonSchema }),
  };
}

function toolSchemas(tools: readonly Tool[]): SentSchema[] {
  const size = tools.reduce((sum, { parameters }) => sum + JSON.stringify(parameters ?? '').length, 0);
  if (size > maxSchemas)
    throw new ParameterFault('tools', `their schemas have more than ${maxSchemas} characters together`);
  return tools.flatMap(({ parameters }, index) =>
    parameters ? [{ at: `tools[${index}].function.parameters`, schema: parameters }] : [],
  );
}

// Whether the model may or must call a tool.
function choiceOf(fields: Fields, tools: Tool[]): { offers: boolean; form?: TextForm } {
  const choice = fields.raw('tool_choice') ?? (tools.length > 0 ? 'auto' : 'none');
  if (choice === 'none') return { offers: false };
  if (choice === 'auto') return { offers: true };
  if (tools.length === 0) throw fields.refuse('tool_choice', 'it needs tools');
  if (choice === 'required') return { offers: true, form: { kind: 'tools', tools } };
  if (!isObject(choice)) throw fields.refuse('tool_choice', 'none, auto, required or a function is expected');
  const name = fields.inside('tool_choice')?.inside('function')?.text('name');
  const chosen = tools.filter((tool) => tool.name === name);
  if (chosen.length === 0) throw fields.refuse('tool_choice', 'it names none of the tools');
  return { offers: true, form: { kind: 'tools', tools: chosen } };
}

function formOf(format: Fields | undefined, schemas: SentSchema[]): TextForm | undefined {
  const type = format?.oneOf('type', ['text', 'json_object', 'json_schema']);
  if (!format || type === 'text') return undefined;
  if (type === undefined) throw format.refuse('type', 'it is required');
  if (type === 'json_object') return { kind: 'object' };
  const described = format.inside('json_schema');
  if (!described) throw format.refuse('json_schema', 'it is required');
  const schema = described.raw('schema');
  if (schema === undefined) return { kind: 'object' };
  const at = described.place('schema');
  if (!isObject(schema)) throw new ParameterFault(at, 'a JSON schema is expected');
  schemas.push({ at, schema: schema as JsonSchema });
  return { kind: 'schema', schema: schema as JsonSchema };
}
