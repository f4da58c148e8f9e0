// The OpenAI-compatible API: at /inference/v1, at /v1, and on its own host.
import type { Json } from '../../base/json.ts';
import { demandPrivilege } from '../../core/access.ts';
import { pathParameter } from '../../surface/docs/openapi.ts';
import type { Exchange, Reply, Route, Service } from '../../surface/http/exchange.ts';
import { inferencePrivilege } from '../privilege.ts';
import { completeChat } from './chat.ts';
import { completeText } from './completions.ts';
import { embed } from './embeddings.ts';
import { openAiFailures, renderOpenAiFault } from './faults.ts';
import { makeImages } from './images.ts';
import { listModels, readModel } from './models.ts';
import { rerank } from './rerank.ts';
import * as schemas from './schemas.ts';
import type { OpenAiTools } from './tools.ts';

const bodyLimit = 8 * 1024 * 1024; // messages contain images

export function openAiService(tools: OpenAiTools): Service {
  return {
    name: 'inference',
    title: 'Model inference',
    description: 'Chat, completions, embeddings, images and reranking, compatible with clients of OpenAI.',
    prefixes: ['/inference/v1', '/v1'],
    hosts: ['openai.inference.de-txl'],
    takesBasic: false,
    routes: routes(tools),
    failures: openAiFailures,
    renderFault: renderOpenAiFault,
  };
}

type Call = (tools: OpenAiTools, x: Exchange) => Promise<Reply> | Reply;

function routes(tools: OpenAiTools): Route[] {
  const resolve = (x: Exchange): void => {
    demandPrivilege(x.who, inferencePrivilege);
    tools.limits.takeRequest(x);
  };
  const asks = (path: string, operation: string, summary: string, bodySchema: Json, replySchema: Json, call: Call) => ({
    method: 'POST',
    path,
    operation,
    summary,
    takesBody: true,
    bodyLimit,
    auditOnce: 'hour' as const, // records that it was used, and nothing of the contents
    bodySchema,
    replySchema,
    failsAlso: { statuses: [400, 404], types: {} },
    resolve,
    call: (x: Exchange) => call(tools, x),
  });
  const reads = (path: string, operation: string, summary: string, replySchema: Json, call: Call): Route => ({
    method: 'GET',
    path,
    operation,
    summary,
    replySchema,
    resolve,
    call: (x) => call(tools, x),
  });
  const [publisher, name] = ['mistralai', 'Mistral-Small-24B-Instruct'];
  return [
    reads('/models', 'model_list', 'List the models, and the engine that serves each', schemas.modelsReply, listModels),
    {
      ...reads(
        '/models/{encodedModel}',
        'model_get_encoded',
        'Read a model by its encoded id',
        schemas.modelReply,
        readModel,
      ),
      parameters: [pathParameter('encodedModel', 'Publisher and name, with an encoded slash', `${publisher}/${name}`)],
    },
    {
      ...reads('/models/{publisher}/{modelName}', 'model_get', 'Read a model', schemas.modelReply, readModel),
      parameters: [
        pathParameter('publisher', 'The part before the slash', publisher),
        pathParameter('modelName', 'The part behind it', name),
      ],
    },
    {
      ...asks(
        '/chat/completions',
        'chat_complete',
        'Answer a chat: with text, with a tool call, or with JSON that matches a schema',
        schemas.chatBody,
        schemas.chatReply,
        completeChat,
      ),
      otherReplies: { 'text/event-stream': schemas.chatEvent },
    },
    {
      ...asks(
        '/completions',
        'text_complete',
        'Continue a prompt',
        schemas.completionBody,
        schemas.completionReply,
        completeText,
      ),
      otherReplies: { 'text/event-stream': schemas.completionEvent },
    },
    asks('/embeddings', 'embedding_make', 'Embed texts', schemas.embeddingBody, schemas.embeddingReply, embed),
    asks('/images/generations', 'image_make', 'Make images', schemas.imageBody, schemas.imageReply, makeImages),
    asks('/rerank', 'document_rerank', 'Order documents by a query', schemas.rerankBody, schemas.rerankReply, rerank),
  ];
}
