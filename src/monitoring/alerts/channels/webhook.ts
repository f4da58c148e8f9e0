// Sends a notification to a webhook: one POST, signed with the channel's secret over time and body, so that the
// receiver can verify that it is ours and recent. Anything but a 2xx is a failure; redirects are not followed.
import { createHmac } from 'node:crypto';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { rootCertificates } from 'node:tls';
import { request } from '../../../base/http.ts';
import { checkedLookup, forbiddenHost } from '../../../base/outbound/outbound-address.ts';

export interface WebhookCall {
  url: string;
  body: string;
  secret: string;
  authorization: string;
  delivery: string; // the same for every attempt of a delivery
  nowMs: number; // real time, which receivers compare with their clocks
  authorities: readonly string[]; // additional trusted certificates
}

// Why a notification could not be delivered, in words for the channel's owner.
export class DeliveryError extends Error {}

// Channels of earlier versions may have any address, and the address of a name may change at any time.
export function demandReceiver(host: string): void {
  const forbidden = forbiddenHost(host);
  if (forbidden !== undefined) throw notCalled(host, forbidden);
}

const notCalled = (host: string, why: string): DeliveryError => new DeliveryError(`${host} is not called: ${why}`);

export const receiverLookup = checkedLookup('anywhere', notCalled);

const limitMs = 10_000;
const userAgent = 'Cumulet-Alerts/1';

export const signature = (secret: string, seconds: number, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;

export async function callWebhook(call: WebhookCall): Promise<string> {
  const response = await post(call);
  const status = response.statusCode ?? 0;
  response.on('error', () => undefined);
  response.destroy(); // the body of the answer is not used
  if (status >= 200 && status < 300) return `answered ${status}`;
  if (status >= 300 && status < 400) throw new DeliveryError(`answered ${status}: redirects are not followed`);
  throw new DeliveryError(`answered ${status}`);
}

async function post({
  url,
  body,
  secret,
  authorization,
  delivery,
  nowMs,
  authorities,
}: WebhookCall): Promise<IncomingMessage> {
  const target = new URL(url);
  demandReceiver(target.hostname);
  const isSecure = target.protocol === 'https:';
  const seconds = Math.floor(nowMs / 1000);
  const options: RequestOptions = {
    method: 'POST',
    agent: false,
    lookup: receiverLookup,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'User-Agent': userAgent,
      'X-Cumulet-Delivery': delivery,
      'X-Cumulet-Timestamp': String(seconds),
      'X-Cumulet-Signature': signature(secret, seconds, body),
      ...(authorization !== '' && { Authorization: authorization }),
    },
  };
  const trust = isSecure && authorities.length > 0 ? { ca: [...rootCertificates, ...authorities] } : {};
  const open = isSecure ? process.getBuiltinModule('node:https').request : request;
  return new Promise((resolve, reject) => {
    const sent = open(target, { ...options, ...trust }, resolve);
    const timer = setTimeout(() => sent.destroy(new DeliveryError(`no answer in ${limitMs / 1000} s`)), limitMs);
    sent.on('close', () => {
      clearTimeout(timer);
      reject(new DeliveryError('the connection ended without an answer')); // also after 101; no effect after an answer
    });
    sent.on('error', (error: NodeJS.ErrnoException) => reject(deliveryErrorOf(error)));
    sent.end(body);
  });
}

export function deliveryErrorOf(error: NodeJS.ErrnoException): DeliveryError {
  if (error instanceof DeliveryError) return error;
  return new DeliveryError(error.code ? `${error.code}: ${error.message}`.slice(0, 300) : error.message.slice(0, 300));
}
