// The agent tools on the gateway: `/mcp`, with the caller's token. A tool reads by HTTP from the gateway itself, like
// any client, so the caller's throttle, rights and audit apply. The SDK is loaded with the first call.
import { Fault } from '../base/fault.ts';
import { bodyLimits, checkJsonLimits, textOf } from '../base/json.ts';
import type { Exchange, Reply, Route, Service } from '../surface/http/exchange.ts';
import { renderPlatformFault } from '../surface/http/payload.ts';
import type { Context, Product } from '../surface/product.ts';
import { loadModeOf } from './server/load-mode.ts';

type Handler = (request: Request) => Promise<Response>;

const maxBody = 1024 * 1024;

export function openAgent(context: Context): Product {
  let handler: Promise<Handler> | undefined;
  const answer = async (request: Request): Promise<Response> => {
    handler ??= loadHandler(context);
    return (await handler)(request);
  };
  return { resources: [], services: () => [agentService(answer)] };
}

async function loadHandler({ version, model, addresses, clock, log }: Context): Promise<Handler> {
  const { mcpHandler } = await import('./server/http.ts');
  const { toolboxOf } = await import('./all-tools.ts');
  const { toolContextOf } = await import('./tool-context.ts');
  const { Connection } = await import('./client/connection.ts');
  const toolbox = Promise.resolve(toolboxOf(model.all()));
  const unexpected = (error: unknown): void => log.warn('agent tools', { error });
  const { fetch } = mcpHandler((request) => {
    const header = (name: string): string | undefined => request?.headers.get(name) ?? undefined;
    const [accessKey, secretKey] = [header('x-ionos-s3-access-key'), header('x-ionos-s3-secret-key')];
    const access = { apiUrl: addresses.gateway(), token: bearerIn(header('authorization')) };
    const connection = new Connection({ source: 'headers', find: () => access });
    const storageKey = accessKey && secretKey ? { accessKey, secretKey } : undefined;
    return {
      version,
      mode: (request && modeOf(new URL(request.url).searchParams)) ?? 'eager',
      loaded: new Set(),
      toolbox: () => toolbox,
      unexpected,
      context: (client) => toolContextOf({ connection, storageKey, version, client, now: clock.now }),
    };
  }, unexpected);
  return fetch;
}

// Lazy mode needs memory between calls, which a stateless endpoint does not have.
function modeOf(search: URLSearchParams): 'eager' | 'dynamic' {
  const requested = search.get('load-mode') ?? 'eager';
  const mode = loadModeOf(requested);
  if (mode === 'eager' || mode === 'dynamic') return mode;
  throw new Fault('refused', `'${requested.slice(0, 60)}' is not a load mode of /mcp. Use eager or dynamic.`);
}

const bearerIn = (authorization = ''): string | undefined => /^Bearer +(\S+)$/i.exec(authorization)?.[1];

const agentService = (answer: Handler): Service => ({
  name: 'agent',
  title: 'Agent tools',
  description: 'Read-only tools for AI clients, by the Model Context Protocol over Streamable HTTP.',
  prefixes: ['/mcp'],
  hosts: ['api'],
  takesBasic: false,
  isHidden: true, // a protocol that describes itself
  routes: [agentRoute(answer)],
  renderFault,
});

const refusedCode = -32000; // of JSON-RPC: an error of the server itself, before there is a message to answer

// Rendered as JSON-RPC, because its clients show nothing else. Status and headers are the platform's.
function renderFault(fault: Fault): Reply {
  const { message } = fault;
  const answer = fault.kind === 'unauthenticated' ? `${message} ${tokenHint}` : message;
  const body = { jsonrpc: '2.0', error: { code: refusedCode, message: answer }, id: null };
  return { ...renderPlatformFault(fault, { refused: 400 }), body: JSON.stringify(body) };
}

const tokenHint =
  'The MCP connection needs the header `Authorization: Bearer …` with a valid token (create one with `cumulet token generate`).';

const agentRoute = (answer: Handler): Route => ({
  method: 'POST',
  path: '/',
  operation: 'agent_call',
  summary: 'A message of the Model Context Protocol: list, describe and call read-only tools',
  takesBytes: true, // invalid JSON is reported in the protocol's own words
  bodyLimit: maxBody,
  auditOnce: 'hour',
  resolve: (x) => {
    if (bearerIn(x.req.headers.authorization) === undefined)
      throw new Fault('unauthenticated', 'A bearer token is required: the tools use it to read.');
    modeOf(x.search);
  },
  call: async (x) => {
    checkMessage(x.bytes);
    return replyOf(await answer(requestOf(x)), takesEvents(x));
  },
});

const maxMessages = 20; // per batch, which only an older revision of the protocol has

// The SDK validates each message thoroughly, and also reports invalid JSON.
function checkMessage(bytes: Uint8Array): void {
  const text = textOf(bytes);
  checkJsonLimits(text, bodyLimits);
  if (!/^\s*\[/.test(text)) return;
  const batch = batchIn(text);
  if (batch > maxMessages)
    throw new Fault(
      'refused',
      `The batch has ${batch} messages; at most ${maxMessages} are accepted. Send them one by one.`,
    );
}

function batchIn(text: string): number {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.length : 0;
  } catch {
    return 0;
  }
}

const ofConnection = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'expect', 'upgrade']);

const takesEvents = ({ req }: Exchange): boolean => /text\/event-stream|\*\/\*/.test(req.headers.accept ?? '');

function requestOf(x: Exchange): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(x.req.headers))
    if (typeof value === 'string' && !ofConnection.has(name)) headers.set(name, value);
  headers.set('accept', 'application/json, text/event-stream');
  headers.set('content-type', 'application/json');
  const query = x.query === '' ? '' : `?${x.query}`;
  return new Request(`http://localhost/mcp${query}`, { method: 'POST', headers, body: x.bytes, signal: x.signal });
}

// Older revisions of the protocol answer with an event. A client that accepts no events gets its content.
async function replyOf(response: Response, takesEvents: boolean): Promise<Reply> {
  const { status } = response;
  const type = response.headers.get('content-type') ?? 'application/json';
  const own = ['content-type', 'content-length'];
  const headers = [...response.headers].filter(([name]) => !own.includes(name)).flat();
  const isStream = type.startsWith('text/event-stream') && response.body !== null;
  if (isStream && takesEvents) return { status, type, headers, stream: response.body as AsyncIterable<Uint8Array> };
  const text = await response.text();
  const body = isStream ? (/^data: (.+)$/m.exec(text)?.[1] ?? '') : text;
  return { status, ...(!isStream && { type }), headers, ...(body !== '' && { body }) };
}
