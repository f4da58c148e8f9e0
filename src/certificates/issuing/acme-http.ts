// The HTTP calls of the ACME client. A server may belong to anyone: addresses are checked before and after they are
// resolved, redirects are not followed, and time and size of an answer are limited. Failed calls are not repeated here:
// the reconciler does that.
import type { IncomingMessage } from 'node:http';
import { rootCertificates } from 'node:tls';
import { Fault } from '../../base/fault.ts';
import { request as requestPlainly } from '../../base/http.ts';
import { demandAddress, serverLookup } from './server-address.ts';

const maxTextCharacters = 500;
const timeoutMs = 15_000; // of one request, to the end of its answer
const maxAnswerBytes = 256 * 1024;

export interface AcmeRequest {
  method: 'GET' | 'HEAD' | 'POST';
  url: string;
  body?: string;
}

export interface AcmeAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  data: unknown; // parsed JSON, otherwise the text
}

export type AcmeHttp = (request: AcmeRequest, signal: AbortSignal) => Promise<AcmeAnswer>;

// `extraCa`: further certificates that ACME servers are trusted by, in PEM.
export function acmeHttp(extraCa: string | undefined): AcmeHttp {
  const trust = extraCa === undefined ? {} : { ca: [...rootCertificates, extraCa] };
  return async (request, signal) => {
    demandAddress(request.url);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const answer = await send(request, trust, limit).catch((error: Error & { code?: string }) => {
      throw faultIn(error) ?? unavailable(error.code ?? 'the connection failed');
    });
    const { status, headers } = answer;
    if (status === 429 || status >= 500) throw unavailable(`it answers ${status}`);
    if (status >= 300 && status < 400) throw refused(`it answers ${status}, and redirects are not followed`);
    const data = withoutForeignText(status, String(headers['content-type']), parsed(answer.text));
    return { status, headers, data };
  };
}

interface Received {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

async function send({ method, url, body }: AcmeRequest, trust: { ca?: string[] }, signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const isPlain = new URL(url).protocol === 'http:';
  const headers = {
    'user-agent': 'cumulet',
    ...(body !== undefined && { 'content-type': 'application/jose+json', 'content-length': Buffer.byteLength(body) }),
  };
  // No connection is reused: another part may have opened it, to an address that this check forbids.
  const options = {
    method,
    headers,
    signal,
    agent: false,
    lookup: serverLookup(isPlain ? 'http:' : 'https:'),
  } as const;
  const request = isPlain
    ? requestPlainly(url, options)
    : process.getBuiltinModule('node:https').request(url, { ...options, ...trust });
  request.once('error', reject);
  request.once('response', (response) => {
    const pieces: Buffer[] = [];
    let size = 0;
    response.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > maxAnswerBytes) response.destroy(new Error('the answer is too large'));
      else pieces.push(piece);
    });
    response.once('error', reject);
    response.once('end', () => {
      const text = Buffer.concat(pieces).toString('utf8');
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
  });
  request.end(body);
  return promise;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// Users see the errors of a server. Its address may be that of another service, whose answers are not theirs to see:
// only the detail of a problem document is shown (RFC 8555, 6.7).
export function withoutForeignText(status: number, contentType: string, data: unknown): unknown {
  if (status >= 400) {
    const { type, detail } = contentType.startsWith('application/problem+json') ? fieldsOf(data) : {};
    return {
      ...(typeof type === 'string' && { type }),
      detail: shownText(detail) ?? `it answers ${status}`,
    };
  }
  const { status: state, error } = fieldsOf(data);
  if (state === undefined || typeof data !== 'object') return data;
  if (!states.includes(String(state))) return { ...data, status: 'unknown' };
  if (state !== 'invalid') return data;
  const { detail } = fieldsOf(error);
  return { ...data, error: { detail: shownText(detail) ?? 'it is not valid' } };
}

// Without characters that change how a terminal or a page shows the text around it.
export const shownText = (text: unknown): string | undefined =>
  typeof text === 'string' ? text.slice(0, maxTextCharacters).replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ') : undefined;

const states = ['pending', 'ready', 'processing', 'valid', 'invalid', 'deactivated', 'expired', 'revoked'];

export const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

// The fault of the address check may be the cause of the error.
function faultIn(error: unknown): Fault | undefined {
  if (error instanceof Fault) return error;
  return error instanceof Error && error.cause !== undefined ? faultIn(error.cause) : undefined;
}

export const unavailable = (why: string): Fault =>
  new Fault('unavailable', `The ACME server can not be reached, and will be asked again: ${why}`);

export const refused = (why: string): Fault => new Fault('refused', `The ACME server says: ${why}`.slice(0, 500));
