// Forms as browsers send them, and malformed ones: each is read or refused, without affecting other requests.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import { bodyStream } from '../../../surface/http/body.ts';
import type { Exchange } from '../../../surface/http/exchange.ts';
import { readForm } from './form-parts.ts';

const field = (name: string, value: string, more = ''): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const file = (content: string): string => field('file', content, '; filename="a.txt"\r\nContent-Type: text/plain');
const whole = `${field('key', 'k')}${file('content')}--b--\r\n`;

function exchangeOf(body: string, pieceBytes = 1000): Exchange {
  const bytes = Buffer.from(body);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  );
  const req = Object.assign(Readable.from(pieces), { headers: { 'content-type': 'multipart/form-data; boundary=b' } });
  return { req: req as unknown as IncomingMessage } as Exchange;
}

// Callers do other work before they read the file, such as checking rights.
async function contentOf(x: Exchange): Promise<string> {
  const form = await readForm(x.req.headers['content-type'] ?? '', bodyStream(x));
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  let content = '';
  for await (const piece of form.file) content += piece.toString();
  return `${form.fields.get('key')}=${content}`;
}

suite('a form', () => {
  test('has its fields and its file, for pieces of any size', async () => {
    for (const size of [1, 7, 1000]) assert.equal(await contentOf(exchangeOf(whole, size)), 'k=content');
  });

  const malformed: [what: string, body: string][] = [
    ['a field without a name', whole.replace('name="key"', 'nome="key"')],
    ['a truncated file', whole.slice(0, whole.indexOf('content') + 3)],
    ['a file without the final boundary', whole.slice(0, -8)],
    ['headers that do not end', `${whole.slice(0, whole.indexOf('text/plain'))}text/plain\r-\r\n--b--\r\n`],
    ['no file', `${field('key', 'k')}--b--\r\n`],
    ['nothing', ''],
  ];
  for (const [what, body] of malformed)
    test(`with ${what} is refused`, async () => {
      for (const size of [1, 10, 1000])
        await assert.rejects(
          contentOf(exchangeOf(body, size)),
          (error) => error instanceof Fault && error.kind === 'refused',
        );
    });

  test('in an unknown character set is read or refused', async () => {
    for (const charset of ['charset=klingon', 'charset=', 'charset']) {
      const odd = whole.replace('name="key"', `name="key"\r\nContent-Type: text/plain; ${charset}`);
      await contentOf(exchangeOf(odd)).catch((error) => assert.ok(error instanceof Fault));
    }
  });
});
