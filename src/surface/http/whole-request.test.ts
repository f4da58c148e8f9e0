// What is read here must be what node:http reads: every request that we take goes through its parser too.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { type Fields, headOf } from './whole-request.ts';

const read = (text: string) => headOf(Buffer.from(text, 'latin1'), undefined);

const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n\r\n`;
const plain = lines('POST /a?b=c HTTP/1.1', 'Host: x', 'Content-Length: 2');

test('a plain request', () => {
  const head = read(`${plain}hi`);
  assert.deepEqual(head && { method: head.method, url: head.url, ...head.fields }, {
    method: 'POST',
    url: '/a?b=c',
    bytes: Buffer.from('\r\nHost: x\r\nContent-Length: 2\r\n\r\n'),
    headers: { host: 'x', 'content-length': '2' },
    length: 2,
  });
  assert.equal(head?.bodyAt, plain.length);
});

test('headers that are the same as before are not read again', () => {
  const first = read(`${plain}hi`);
  const second = headOf(Buffer.from(plain.replace('/a?b=c', '/other').concat('ho')), first?.fields);
  assert.equal(second?.url, '/other');
  assert.equal(second?.fields, first?.fields);
});

test('[GEN-09] headers that are kept hold no memory but their own', () => {
  const { bytes } = (read(`${plain}hi`) as { fields: Fields }).fields;
  assert.equal(bytes.buffer.byteLength, bytes.length);
});

const host = 'Host: x';
for (const [what, text] of Object.entries({
  'no end': 'GET / HTTP/1.1\r\nHost: x\r\n',
  'a piece of a body': `${plain}h`,
  'no host': lines('GET / HTTP/1.1'),
  'an empty host': lines('GET / HTTP/1.1', 'Host: '),
  'two hosts': lines('GET / HTTP/1.1', host, 'host: y'),
  'two lengths': lines('GET / HTTP/1.1', host, 'Content-Length: 0', 'Content-Length: 0'),
  'a length that is none': lines('GET / HTTP/1.1', host, 'Content-Length: +0'),
  'a length in other digits': lines('GET / HTTP/1.1', host, 'Content-Length: 0x0'),
  'a long length': lines('GET / HTTP/1.1', host, 'Content-Length: 00000000'),
  chunks: `${lines('POST / HTTP/1.1', host, 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  'chunks and a length': lines('POST / HTTP/1.1', host, 'Content-Length: 0', 'transfer-encoding: identity'),
  'a version before': lines('GET / HTTP/1.0', host),
  'another version': lines('GET / HTTP/1.2', host),
  'a method in small letters': lines('get / HTTP/1.1', host),
  'a method that is not ours': lines('OPTIONS / HTTP/1.1', host),
  'a tunnel': lines('CONNECT x:443 HTTP/1.1', host),
  'an absolute form': lines('GET http://x/ HTTP/1.1', host),
  'two blanks': lines('GET  / HTTP/1.1', host),
  'a blank in the path': lines('GET /a b HTTP/1.1', host),
  'a byte in the path': lines('GET /\xe4 HTTP/1.1', host),
  'lines that end otherwise': 'GET / HTTP/1.1\nHost: x\n\n',
  'one line that ends otherwise': lines('GET / HTTP/1.1', 'Host: x\nA: b'),
  'a bare return': lines('GET / HTTP/1.1', 'Host: x\rA: b'),
  'an empty line first': `\r\n${lines('GET / HTTP/1.1', host)}`,
  'a blank before the colon': lines('GET / HTTP/1.1', host, 'A : b'),
  'a folded line': lines('GET / HTTP/1.1', host, 'A: b', ' c'),
  'no colon': lines('GET / HTTP/1.1', host, 'A'),
  'no name': lines('GET / HTTP/1.1', host, ': b'),
  'a byte in a value': lines('GET / HTTP/1.1', host, 'A: \xe4'),
  'a zero in a value': lines('GET / HTTP/1.1', host, 'A: b\0'),
  'a name that objects have': lines('GET / HTTP/1.1', host, '__proto__: b'),
  'a name twice': lines('GET / HTTP/1.1', host, 'Cookie: a', 'Cookie: b'),
  'an expectation': lines('POST / HTTP/1.1', host, 'Expect: 100-continue', 'Content-Length: 0'),
  'an upgrade': lines('GET / HTTP/1.1', host, 'Connection: Upgrade', 'Upgrade: websocket'),
  'a last call': lines('GET / HTTP/1.1', host, 'Connection: close'),
  'words of a proxy': lines('GET / HTTP/1.1', host, 'Proxy-Connection: keep-alive'),
  'too many headers': lines('GET / HTTP/1.1', host, ...Array.from({ length: 60 }, (_, at) => `A${at}: b`)),
  'long headers': lines('GET / HTTP/1.1', host, `A: ${'b'.repeat(9000)}`),
  'a hello of TLS': '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
  nothing: '',
}))
  test(`not for us: ${what}`, () => assert.equal(read(text), undefined));

test('[GEN-09] no request takes long to read', () => {
  const blanks = ' '.repeat(8000);
  const from = performance.now();
  for (const value of [`${blanks}\x01`, `a${blanks}\x01`, `${blanks}a${blanks}\x01`.slice(0, 8000), '\t '.repeat(4000)])
    for (let n = 0; n < 100; n++) read(lines('GET / HTTP/1.1', host, `A:${value}`));
  assert.ok(performance.now() - from < 2000, 'the time grows with the square of the length');
});

// A request out of parts that fit or nearly fit together; the same seed makes the same ones.
function* samples(count: number): Generator<string> {
  let state = 42;
  const random = (below: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
  const any = <T>(...all: T[]): T => all[random(all.length)] as T;
  const often = <T>(usual: T, ...odd: T[]): T => (random(12) > 0 ? usual : any(...odd));
  const byte = (): string => String.fromCharCode(random(256));
  for (let n = 0; n < count; n++) {
    const body = any('', '{}', '{"a":"\xe4"}', 'x'.repeat(random(300)));
    const blank = (): string => often(' ', '', '  ', '\t', ' \t');
    const spelt = (name: string): string => often(name, name.toUpperCase(), name.toLowerCase(), `${name} `, `${name}_`);
    const named = (name: string, value: string): string => `${spelt(name)}:${blank()}${value}${often('', ' ', '\t')}`;
    const headers = [
      named('Host', often('api.example', '', 'a b', '[::1]:80', byte())),
      ...(body || random(2)
        ? [named('Content-Length', often(String(body.length), '0', '1', `0${body.length}`, '-1', '1e1'))]
        : []),
      ...(random(3)
        ? []
        : [named(any('Accept', 'X-A', 'User-Agent', 'Authorization', 'Cookie'), `v${byte()}${any('', ' w', '\t;')}`)]),
      ...(random(9)
        ? []
        : [
            named(
              any('Connection', 'Transfer-Encoding', 'Expect', 'TE', 'Upgrade'),
              any('keep-alive', 'close', 'chunked', ''),
            ),
          ]),
    ];
    if (random(20) === 0) headers.push(any(...headers));
    const method = often(any('GET', 'POST', 'PUT', 'DELETE'), 'get', 'FOO', '');
    const target = often('/a', '*', 'a', '//', `/${byte()}`, '/a?b#c');
    const version = often('HTTP/1.1', 'HTTP/1.0', 'HTTP/1', 'http/1.1');
    const first = `${method}${often(' ', '  ')}${target} ${version}`;
    const text = `${[first, ...headers].join(often('\r\n', '\n', '\r'))}\r\n\r\n${body}`;
    if (random(4)) yield text;
    else {
      const at = random(text.length);
      yield text.slice(0, at) + any('', byte(), '\r\n', ' ', ':') + text.slice(at + random(2));
    }
  }
}

test('[GEN-09] whatever is taken, node:http reads in the same way', async () => {
  const seen: { method?: string | undefined; url?: string | undefined; headers: unknown; body: string }[] = [];
  const server = createServer({ requireHostHeader: false }, async (req, res) => {
    const { method, url, headers } = req;
    seen.push({ method, url, headers: { ...headers }, body: (await buffer(req)).toString('latin1') });
    res.end();
  });
  server.on('clientError', (error, socket) => socket.destroy(error));
  let taken = 0;
  let left = 0;
  let last: Fields | undefined;
  for (const text of samples(6000)) {
    const bytes = Buffer.from(text, 'latin1');
    const head = headOf(bytes, undefined);
    assert.deepEqual(headOf(bytes, last), head, `other than after the one before: ${JSON.stringify(text)}`);
    last = head?.fields ?? last;
    if (!head) {
      left++;
      continue;
    }
    taken++;
    const end = head.bodyAt + head.fields.length;
    const [ours, theirs] = duplexPair();
    const answered = new Promise<void>((resolve, reject) => {
      ours.once('data', () => resolve());
      ours.once('close', () => reject(new Error(`node:http refuses ${JSON.stringify(text)}`)));
    });
    server.emit('connection', theirs);
    ours.write(bytes.subarray(0, end));
    await answered;
    ours.removeAllListeners('close').destroy();
    theirs.destroy();
    const { method, url, fields } = head;
    const body = bytes.toString('latin1', head.bodyAt, end);
    assert.deepEqual(seen.splice(0), [{ method, url, headers: fields.headers, body }], JSON.stringify(text));
  }
  assert.ok(taken > 1000 && left > 1000, `${taken} taken, ${left} left`);
});
