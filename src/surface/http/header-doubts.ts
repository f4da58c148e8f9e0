// Requests whose headers can be read in two ways. Which host, which credentials, which contract and which body are
// meant must not depend on who reads the request: a proxy before us may take the other one.
import type { IncomingMessage } from 'node:http';
import { isHost } from './host-names.ts';

// What is doubtful about a request; undefined: nothing.
export function doubtOf(req: IncomingMessage): string | undefined {
  const { hosts, authorizations } = countHeaders(req.rawHeaders);
  return hostDoubt(req, hosts) ?? headerDoubt(req, authorizations);
}

function countHeaders(rawHeaders: readonly string[]): { hosts: number; authorizations: number } {
  let hosts = 0;
  let authorizations = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++;
  }
  return { hosts, authorizations };
}

// Of a target that names a host itself, that one counts: what the header says is for the proxy to ignore.
function hostDoubt({ headers, httpVersion, url = '' }: IncomingMessage, hosts: number): string | undefined {
  if (headers.host === undefined) return httpVersion === '1.1' ? 'The Host header is missing.' : undefined;
  if (hosts > 1) return 'There is more than one Host header.';
  const counts = url.startsWith('/') && headers.host !== '';
  return counts && !isHost(headers.host) ? 'The Host header names no host.' : undefined;
}

function headerDoubt({ headers }: IncomingMessage, authorizations: number): string | undefined {
  if (authorizations > 1) return 'There is more than one Authorization header.';
  const { 'x-contract-number': contract, 'transfer-encoding': coding } = headers;
  if (typeof contract === 'string' && contract !== '' && isDoubtful(contract))
    return 'The X-Contract-Number header must be a number in decimal digits, without leading zeros.';
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return 'The only Transfer-Encoding that can be read is chunked.';
  return undefined;
}

// A word, or a number that is too large, is a contract that no one has. A number in another form than plain decimal
// digits would be read as one that someone has.
const isDoubtful = (contract: string): boolean =>
  !/^-?[1-9]\d*$/.test(contract) && ![contract, 'NaN'].includes(String(Number(contract)));
