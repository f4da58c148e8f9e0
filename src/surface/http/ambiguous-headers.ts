// Refuses requests whose headers have two meanings. The host, the credentials, the contract and the body must not
// depend on the reader: a proxy in front of the region may read them differently.
import type { IncomingMessage } from 'node:http';
import { isHost } from './host-names.ts';

// Returns the problem of a request's headers, or undefined.
export function headerProblem(req: IncomingMessage): string | undefined {
  const { hosts, authorizations } = countHeaders(req.rawHeaders);
  return hostHeaderProblem(req, hosts) ?? otherHeaderProblem(req, authorizations);
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

// If the target names a host itself, that one counts, and the header is only for proxies.
function hostHeaderProblem({ headers, httpVersion, url = '' }: IncomingMessage, hosts: number): string | undefined {
  if (headers.host === undefined) return httpVersion === '1.1' ? 'The Host header is missing.' : undefined;
  if (hosts > 1) return 'There is more than one Host header.';
  const counts = url.startsWith('/') && headers.host !== '';
  return counts && !isHost(headers.host) ? 'The Host header is not a valid host name.' : undefined;
}

function otherHeaderProblem({ headers }: IncomingMessage, authorizations: number): string | undefined {
  if (authorizations > 1) return 'There is more than one Authorization header.';
  const { 'x-contract-number': contract, 'transfer-encoding': coding } = headers;
  if (typeof contract === 'string' && contract !== '' && isAmbiguous(contract))
    return 'The X-Contract-Number header must be a number in decimal digits, without leading zeros.';
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return 'The only Transfer-Encoding that can be read is chunked.';
  return undefined;
}

// A word, or a number that is too large, is a contract that no one has. A number in another form than plain decimal
// digits would be read as one that someone has.
const isAmbiguous = (contract: string): boolean =>
  !/^-?[1-9]\d*$/.test(contract) && ![contract, 'NaN'].includes(String(Number(contract)));
