// The one way out of the agent tools: HTTP calls that read. The class has `get` and `head` and nothing else, so no tool
// can change anything. Redirects are not followed: they could lead elsewhere with the caller's token.
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
}

const limitMs = 60_000;
const mostBytes = 32 * 1024 * 1024;

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
      if (size > mostBytes) response.destroy(new Error(`the answer has more than ${mostBytes >> 20} MB`));
      else pieces.push(piece);
    });
    response.on('error', reject);
    response.on('end', () => {
      const told = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
      resolve({
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(told) as Record<string, string>,
        text: Buffer.concat(pieces).toString('utf8'),
      });
    });
  });
  sent.on('error', reject);
  sent.end();
  return promise;
}
