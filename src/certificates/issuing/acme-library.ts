// The library acme-client as the region uses it. It is loaded with the first use, which takes 0.2 s.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { rootCertificates } from 'node:tls';
import type * as acme from 'acme-client';
import { Fault } from '../../base/fault.ts';
import { demandAddress, serverLookup } from './server-address.ts';

export type AcmeLibrary = typeof acme;

const mostTextCharacters = 500;
const timeoutMs = 15_000; // of one request, to the end of its answer
const mostAnswerBytes = 256 * 1024;

// `extraCa`: more certificates that ACME servers are trusted by, in PEM.
export function acmeLibrary(extraCa: string | undefined): () => Promise<AcmeLibrary> {
  let loading: Promise<AcmeLibrary> | undefined;
  return () => (loading ??= loadLibrary(extraCa));
}

async function loadLibrary(extraCa: string | undefined): Promise<AcmeLibrary> {
  const library = await import('acme-client');
  const { defaults, interceptors } = library.axios;
  Object.assign(defaults, {
    timeout: timeoutMs,
    maxContentLength: mostAnswerBytes,
    maxRedirects: 0,
    proxy: false, // one would look names up itself, and reach what this check forbids
    httpAgent: new HttpAgent({ lookup: serverLookup('http:') }),
    httpsAgent: new HttpsAgent({
      lookup: serverLookup('https:'),
      ...(extraCa !== undefined && { ca: [...rootCertificates, extraCa] }),
    }),
  });
  // The library repeats what failed, for minutes. The reconciler does that.
  interceptors.request.clear();
  interceptors.response.clear();
  interceptors.request.use((config) => {
    demandAddress(String(config.url));
    return Object.assign(config, { signal: AbortSignal.timeout(timeoutMs) });
  });
  interceptors.response.use(
    (response) => {
      const { status } = response;
      if (status === 429 || status >= 500) throw unavailable(`it answers ${status}`);
      if (status >= 300 && status < 400) throw refused(`it answers ${status}, and redirects are not followed`);
      response.data = withoutForeignText(status, String(response.headers['content-type']), response.data);
      return response;
    },
    (error: Error & { code?: string }) => {
      throw faultIn(error) ?? unavailable(error.code ?? 'there is no connection');
    },
  );
  return library;
}

// The library puts what a server says into the messages of its errors, which users see. An address may be that of
// something else, whose answers are none of theirs: only the detail of a problem document is told (RFC 8555, 6.7).
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
const shownText = (text: unknown): string | undefined =>
  typeof text === 'string' ? text.slice(0, mostTextCharacters).replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ') : undefined;

const states = ['pending', 'ready', 'processing', 'valid', 'invalid', 'deactivated', 'expired', 'revoked'];

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

// What the check of an address has thrown is the cause of what the library throws.
function faultIn(error: unknown): Fault | undefined {
  if (error instanceof Fault) return error;
  return error instanceof Error && error.cause !== undefined ? faultIn(error.cause) : undefined;
}

export const unavailable = (why: string): Fault =>
  new Fault('unavailable', `The ACME server can not be reached, and will be asked again: ${why}`);

export const refused = (why: string): Fault => new Fault('refused', `The ACME server says: ${why}`.slice(0, 500));
