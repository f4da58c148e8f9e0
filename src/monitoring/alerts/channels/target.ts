// The target in the URL of a channel: http or https for webhooks, smtp or smtps for mail servers.
import { forbiddenHost } from '../../../base/outbound/outbound-address.ts';

export interface Target {
  url: URL;
  shown: string; // without a password
  password: string;
}

const protocols = { webhook: ['http:', 'https:'], email: ['smtp:', 'smtps:'] };

const host = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])$/;

// Returns the target, or the reason why the URL is not valid.
export function readTarget(text: string, type: 'webhook' | 'email'): Target | string {
  const url = URL.parse(text.trim());
  const allowed = protocols[type];
  if (!url || !allowed.includes(url.protocol))
    return `Expected a URL that begins with ${allowed.map((one) => `${one}//`).join(' or ')}`;
  if (!host.test(url.hostname)) return 'Expected a URL with the name or the address of a host';
  const forbidden = forbiddenHost(url.hostname);
  if (forbidden !== undefined) return `Expected the address of a receiver: ${forbidden}`;
  if (type === 'webhook') return readWebhook(url);
  if (url.search !== '' || url.hash !== '' || url.pathname.length > 1)
    return 'The URL of a mail server cannot have a path, a query or a fragment';
  const password = decoded(url.password);
  if (password === undefined || decoded(url.username) === undefined) return 'The credentials are not well-formed';
  if (/[\0\r\n]/.test(password)) return 'The password contains a control character';
  url.password = '';
  return { url, shown: url.href, password };
}

function readWebhook(url: URL): Target | string {
  if (url.username !== '' || url.password !== '')
    return 'The URL of a webhook cannot have credentials; put them into authorization';
  if (url.hash !== '') return 'The URL of a webhook cannot have a fragment';
  return { url, shown: url.href, password: '' };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

// Addresses that SMTP accepts without quoting or extensions.
export const mailbox = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;
