// One call, for everything around a measurement; load.ts sends the measured calls.
import { request } from 'node:http';

export interface Answer {
  status: number;
  headers: string[]; // name, value, name, value … in the order of the answer
  body: string;
}

export interface Call {
  method?: string;
  path: string;
  authorization?: string;
  body?: unknown;
}

export function call(port: number, { method = 'GET', path, authorization, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = {};
    if (authorization) headers.Authorization = authorization;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers, agent: false, timeout: 60_000 },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: answer.statusCode ?? 0, headers: answer.rawHeaders, body: text });
        });
      },
    );
    sent.once('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer within a minute`)));
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export function header(answer: Answer, name: string): string | undefined {
  const at = answer.headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name.toLowerCase());
  return at < 0 ? undefined : answer.headers[at + 1];
}

// The bytes of a request, for the load generator.
export function requestText(port: number, { method = 'GET', path, authorization, body }: Call): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Accept: application/json'];
  if (authorization) lines.push(`Authorization: ${authorization}`);
  if (body !== undefined) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`);
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}
