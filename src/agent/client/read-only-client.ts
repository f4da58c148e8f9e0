// The only HTTP client of the agent tools. It has `get` and `head` and no other method, so no tool can change anything.
// Redirects are not followed: they could send the caller's token to another host.
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
}

const limitMs = 60_000;
const maxBytes = 32 * 1024 * 1024;

export class ReadOnlyClient {
  get(url: URL, headers: Readonly<Record<string, string>>): Promise<Answer> {
    return ask('GET', url, headers);
  }

  head(url: URL, headers: Readonly<Record<string, string>>): Promise<Answer> {
    return ask('HEAD', url, headers);
  }
}

function ask(method: 'GET' | 'HEAD', url: URL, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = url.protocol === 'https:' ? secureRequest : plainRequest;
  const options = { method, headers, signal: AbortSignal.timeout(limitMs) };
  const sent = request(url, options, (response) => {
    const pieces: Buffer[] = [];
    let size = 0;
    response.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > maxBytes) response.destroy(new Error(`the answer has more than ${maxBytes >> 20} MB`));
      else pieces.push(piece);
    });
    response.on('error', reject);
    response.on('end', () => {
      const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
      resolve({
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(headers) as Record<string, string>,
        text: Buffer.concat(pieces).toString('utf8'),
      });
    });
  });
  sent.on('error', reject);
  sent.end();
  return promise;
}
