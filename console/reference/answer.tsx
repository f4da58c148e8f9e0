// The region's answer to a call: status, time, headers and body, always shown as text.
import type { ComponentChildren } from 'preact';
import { isAborted, send } from '../api.ts';
import type { ApiRequest } from './request.ts';

export interface AnswerFacts {
  status: number;
  statusText: string;
  tookMs: number;
  headers: string;
  body: string;
  id: string | undefined; // of a created resource
}

const mostShown = 200_000; // characters

export async function answerTo({ path, ...options }: ApiRequest, signal: AbortSignal): Promise<AnswerFacts> {
  const { method, headers, body } = options;
  const begun = performance.now();
  try {
    const response = await send(path, { method, headers, signal, ...(body !== undefined && { body }) });
    const text = await response.text();
    const value = parsed(text);
    const { id } = (value ?? {}) as { id?: unknown };
    return {
      status: response.status,
      statusText: response.statusText,
      tookMs: performance.now() - begun,
      headers: [...response.headers].map(([name, one]) => `${name}: ${one}`).join('\n'),
      body: value === undefined ? text : JSON.stringify(value, null, 2),
      id: typeof id === 'string' ? id : undefined,
    };
  } catch (error) {
    throw isAborted(error) ? new Error('You stopped waiting. The region may still have performed the call.') : error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const Answer = ({ status, statusText, tookMs, headers, body }: AnswerFacts) => (
  <>
    <p class={status < 400 ? 'status good' : 'status bad'}>
      <strong>{status}</strong> {statusText} <small>{Math.round(tookMs)} ms</small>
    </p>
    <Scrolled label="Response body">
      {body.slice(0, mostShown) || '(no body)'}
      {body.length > mostShown && `\n… ${body.length - mostShown} more characters`}
    </Scrolled>
    <details>
      <summary>Headers</summary>
      <Scrolled label="Response headers">{headers}</Scrolled>
    </details>
  </>
);

const Scrolled = ({ label, children }: { label: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: keys must reach a part that scrolls
  <section class="scrolled" aria-label={label} tabIndex={0}>
    <pre>{children}</pre>
  </section>
);
