// The native API's models and predictions: one input, one output.
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { demandPrivilege } from '../../core/access.ts';
import { namedId } from '../../core/regional.ts';
import type { Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import { always, pathParameter, textSchema, timeSchema } from '../../surface/docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { findRegional } from '../../surface/regional-dialect/find.ts';
import { catalogue, type Model } from '../catalogue.ts';
import type { TextOrder } from '../engines/engine.ts';
import type { Inference } from '../inference.ts';
import type { InferenceLimits } from '../limits.ts';
import { isPlainText } from '../openai/fields.ts';
import { inferencePrivilege } from '../privilege.ts';
import { collection } from './collection.ts';
import type { Documents } from './documents.ts';

export interface NativeTools {
  machinery: Machinery;
  inference: Inference;
  documents: Documents;
  limits: InferenceLimits;
  now: () => number;
}

const categories: Record<Model['kind'], string> = {
  chat: 'text/nlp',
  embedding: 'text/embedding',
  image: 'image/generation',
  rerank: 'text/rerank',
};
const imageSide = 1024;
const defaultMatches = 3;
const longestText = 100_000;

const idOf = (model: Model): string => namedId('model', model.id);
const exampleModel = idOf(catalogue[0] as Model);

export function predictionRoutes(tools: NativeTools): Route[] {
  const resolve = (x: Exchange): void => {
    demandPrivilege(x.who, inferencePrivilege);
    tools.limits.takeRequest(x);
  };
  const prediction = {
    method: 'POST',
    takesBody: true,
    auditOnce: 'hour' as const,
    bodySchema: predictionSchema,
    replySchema: always({
      type: { const: 'prediction' },
      metadata: { type: 'object' },
      properties: { type: 'object' },
    }),
    resolve,
    call: (x: Exchange) => predict(tools, x),
  };
  const [publisher = '', name = ''] = (catalogue[0] as Model).id.split('/');
  return [
    {
      method: 'GET',
      path: '/models',
      operation: 'nativemodel_list',
      summary: 'List the models, and the engine that serves each',
      replySchema: always({
        id: textSchema,
        type: { const: 'collection' },
        href: textSchema,
        items: { type: 'array', items: modelSchema },
      }),
      resolve,
      call: (x) => listModels(tools, x),
    },
    {
      ...prediction,
      path: '/models/{modelId}/predictions',
      operation: 'prediction_make',
      summary: 'Answer an input, with related documents of a collection if one is named',
      parameters: [pathParameter('modelId', 'The id of a model, or its encoded name', exampleModel)],
    },
    {
      ...prediction,
      path: '/models/{publisher}/{modelName}/predictions',
      operation: 'prediction_make_by_name',
      summary: 'Answer an input, by the name of the model',
      parameters: [
        pathParameter('publisher', 'The part of its name before the slash', publisher),
        pathParameter('modelName', 'The part behind it', name),
      ],
    },
  ];
}

async function listModels({ inference }: NativeTools, x: Exchange): Promise<Reply> {
  const shown = async (model: Model): Promise<object> => {
    const id = idOf(model);
    const date = iso(model.createdS * 1000);
    const { id: name, description, kind } = model;
    return {
      id,
      type: 'model',
      href: `${x.base}/models/${id}`,
      metadata: { createdDate: date, lastModifiedDate: date },
      properties: { name, description, category: categories[kind], servedBy: await inference.models.servedBy(model) },
    };
  };
  const items = await Promise.all(inference.models.all().map(shown));
  return json(200, { id: namedId('models'), type: 'collection', href: `${x.base}/models`, items });
}

interface Prediction {
  input: string;
  options: Values;
  collectionId: string | undefined;
  collectionQuery: string | undefined;
}

async function predict(tools: NativeTools, x: Exchange): Promise<Reply> {
  const { inference } = tools;
  const id = x.params.join('/');
  const model = inference.models.all().find((one) => one.id === id || idOf(one) === id);
  if (!model) throw new Fault('missing', 'The model does not exist. GET /models lists the models.');
  const prediction = predictionOf(x.body);
  if (model.kind === 'image') tools.limits.takeImages(x, 1);
  const began = performance.now();
  const createdDate = iso(tools.now());
  const prompt = await promptFor(tools, x, prediction);
  const output = await outputOf(inference, x, model, prompt, prediction.options);
  const { input, options } = prediction;
  const metadata = {
    createdDate,
    lastModifiedDate: iso(tools.now()),
    duration: Math.round(performance.now() - began),
    servedBy: await inference.models.servedBy(model),
  };
  return json(200, { type: 'prediction', metadata, properties: { input, options, output } });
}

async function outputOf(
  inference: Inference,
  x: Exchange,
  model: Model,
  prompt: string,
  options: Values,
): Promise<string> {
  const { contract } = x.who;
  if (model.kind === 'image') {
    const order = { prompt, width: imageSide, height: imageSide, seed: 0 };
    return Buffer.from(await inference.image(contract, model, order, x.signal)).toString('base64');
  }
  if (model.kind !== 'chat')
    throw new Fault('refused', `${model.id} makes no predictions, because it is a model for ${model.kind}s.`);
  const maxTokens = optionOf(options, 'max_length', 1, 1_000_000);
  const temperature = optionOf(options, 'temperature', 0, 2);
  const order: TextOrder = {
    contract,
    input: { turns: [{ role: 'user', content: prompt }], tools: [] },
    ...(maxTokens !== undefined && { maxTokens: Math.floor(maxTokens) }),
    ...(temperature !== undefined && { temperature }),
    topP: optionOf(options, 'top_p', 0, 1) || 1,
    stop: [],
    presencePenalty: 0,
    frequencyPenalty: 0,
    logitBias: {},
  };
  let output = '';
  for await (const part of inference.text(model, order, x.signal)) if (part.kind === 'text') output += part.text;
  return output;
}

// Options may be texts.
function optionOf(options: Values, name: string, min: number, max: number): number | undefined {
  const given = options[name];
  if (given === undefined || given === null) return undefined;
  const value =
    typeof given === 'number' || (typeof given === 'string' && given.trim() !== '') ? Number(given) : Number.NaN;
  if (!(value >= min && value <= max)) throw refused(`options.${name}`, `Expected a number from ${min} to ${max}`);
  return value;
}

// The documents that match the question replace {{.context}}, or precede the input.
async function promptFor({ machinery, documents }: NativeTools, x: Exchange, prediction: Prediction): Promise<string> {
  const { input, collectionId, collectionQuery } = prediction;
  if (collectionId === undefined) return input;
  const params = x.params;
  x.params = [collectionId];
  await findRegional(machinery, x, [], collection as Resource, 'get');
  x.params = params;
  const query = collectionQuery ?? input;
  const found = await documents.find(x, x.rows[0] as Row, query, defaultMatches);
  x.rows = [];
  const context = found.map(({ content }) => content).join('\n\n');
  const hasPlace = /\{\{\s*\.(?:context|collection_query)\s*\}\}/.test(input);
  if (!hasPlace) return `${context}\n\n${input}`;
  return input
    .replace(/\{\{\s*\.context\s*\}\}/g, () => context)
    .replace(/\{\{\s*\.collection_query\s*\}\}/g, () => query);
}

function predictionOf(body: Json | undefined): Prediction {
  if (!isObject(body)) throw refused('', 'An object is expected');
  for (const key in body) if (key !== 'type' && key !== 'properties') throw refused('', `${unknown(key)} is unknown`);
  if (!isObject(body.properties)) throw refused('properties', 'An object is expected');
  const { input, options = null, collectionId = null, collectionQuery = null } = body.properties;
  if (typeof input !== 'string' || !isPlainText(input)) throw refused('input', 'A text is expected');
  if (options !== null && !isObject(options)) throw refused('options', 'An object is expected');
  for (const [name, value] of Object.entries({ collectionId, collectionQuery }))
    if (value !== null && (typeof value !== 'string' || !isPlainText(value) || value.length > longestText))
      throw refused(name, `A text of at most ${longestText} characters is expected`);
  if (typeof collectionId === 'string' && !isUuid(collectionId)) throw refused('collectionId', 'A UUID is expected');
  return {
    input,
    options: options ?? {},
    collectionId: (collectionId as string | null) ?? undefined,
    collectionQuery: (collectionQuery as string | null) ?? undefined,
  };
}

const unknown = (key: string): string => (key.length > 40 ? 'An attribute' : `The attribute ${JSON.stringify(key)}`);

function refused(name: string, message: string): Fault {
  const at = name === '' ? '(root)' : name === 'properties' ? '(root).properties' : `(root).properties.${name}`;
  return new Fault('refused', `[${at}] ${message}`, { code: '100' });
}

const modelSchema = always({
  id: textSchema,
  type: { const: 'model' },
  href: textSchema,
  metadata: always({ createdDate: timeSchema, lastModifiedDate: timeSchema }),
  properties: always({ name: textSchema, description: textSchema, category: textSchema, servedBy: textSchema }),
});
const predictionSchema: Values = {
  type: 'object',
  required: ['properties'],
  properties: {
    properties: {
      type: 'object',
      required: ['input'],
      properties: {
        input: { type: 'string', maxLength: 1_048_576, examples: ['What is a region?'] },
        options: { type: ['object', 'null'], description: 'max_length, temperature and top_p, as texts' },
        collectionId: {
          type: ['string', 'null'],
          description: 'The collection whose documents are put into the input',
        },
        collectionQuery: {
          type: ['string', 'null'],
          maxLength: longestText,
          description: 'The search text; by default the input',
        },
      },
    },
  },
};
