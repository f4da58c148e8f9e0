// A client of the S3 protocol. Calls that fail temporarily are repeated a few times.
import { setTimeout as wait } from 'node:timers/promises';
import type { OutboundFetch } from '../../base/outbound/outbound-fetch.ts';
import { traceHeaders } from '../../base/trace/trace-context.ts';
import type { S3Credentials } from '../s3-signature/sign.ts';
import { type S3Request, signedRequest } from './request.ts';

const answerMs = 60_000; // until the head of an answer has arrived
const mostAttempts = 3;
const pauseMs = 100; // before the second attempt; doubled for each further one

export interface S3ClientOptions {
  origin: string;
  credentials: S3Credentials;
  now(): number;
  fetch?: OutboundFetch | undefined; // instead of the fetch of Node
}

export interface S3Call extends S3Request {
  isOnce?: boolean; // must not be repeated
}

export class S3Client {
  readonly #options: S3ClientOptions;

  constructor(options: S3ClientOptions) {
    this.#options = options;
  }

  // The answer with any status and its body unread. Rejects where the server can't be reached.
  async call(call: S3Call, signal?: AbortSignal): Promise<Response> {
    const attempts = call.isOnce ? 1 : mostAttempts;
    for (let attempt = 1; attempt < attempts; attempt++) {
      const answer = await this.#attempt(call, signal).catch(() => undefined);
      signal?.throwIfAborted();
      if (answer && answer.status < 500 && answer.status !== 429) return answer;
      await answer?.body?.cancel();
      await wait(pauseMs * 2 ** (attempt - 1));
    }
    return this.#attempt(call, signal);
  }

  async #attempt(call: S3Call, signal?: AbortSignal): Promise<Response> {
    const { origin, credentials, now, fetch: outbound = fetch } = this.#options;
    const { method, body = '' } = call;
    const { url, headers } = signedRequest(origin, call, credentials, now());
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), answerMs);
    try {
      return await outbound(url, {
        method,
        headers: { ...headers, ...traceHeaders(), 'accept-encoding': 'identity' },
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        ...((method === 'PUT' || method === 'POST') && { body }),
      });
    } finally {
      clearTimeout(timer); // the body may take longer
    }
  }
}
