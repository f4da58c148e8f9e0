// The lines for the comparison with Loki: JSON, logfmt, access logs, packed and coloured lines, valid and invalid. Each
// has a different time, so that their order is defined; the times are always the same, so that recorded answers stay
// valid.

import type { MemoryLine } from '../../../src/testing/black-box/logging.ts';
import { type Chance, seeded } from '../../../src/testing/seed.ts';

const secondNs = 1_000_000_000n;
export const fromNs = 1_793_491_200n * secondNs; // a whole day in UTC
export const spanS = 1800;
const everyS = 6;

const { one, often, below } = seeded(2511);
const decimal = (chance: Chance['below'], most: number): string => (chance(most * 100) / 100).toString();

const paths = ['/', '/login', '/api/v1/items', '/api/v1/items/42', '/static/app.js', '/search?q=a+b%20c'];
const levels = ['debug', 'info', 'warn', 'error'];
const users = ['ann', 'bob', 'Zoë', 'o"neil', ''];
const address = (): string => one([`10.0.${below(4)}.${below(255)}`, `192.168.4.${below(20)}`, '2001:db8::7', '::1']);
const duration = (): string =>
  one([`${below(900)}ms`, `${decimal(below, 9)}s`, `${1 + below(3)}m${below(60)}s`, '450µs', 'soon']);
const size = (): string =>
  one([`${below(900)}B`, `${decimal(below, 30)}KB`, `${1 + below(5)}MiB`, `${below(5000)}`, 'big']);

function jsonLine(): string {
  const line = JSON.stringify({
    level: one(levels),
    msg: one(['request done', 'cache miss', 'retrying "later"', 'tab\there', 'Ünïcödé ✓']),
    method: one(['GET', 'GET', 'POST', 'DELETE']),
    path: one(paths),
    status: one([200, 200, 201, 404, 500, 503]),
    ms: Number(decimal(below, 300)),
    dur: duration(),
    size: size(),
    user: { id: below(50), name: one(users), 'home-town': 'x y' },
    tags: ['a', { b: below(3) }],
    ok: often(80),
    none: null,
    ...(often(20) && { app: 'inner', '1st': 'digit', 'dash-key': 'v' }),
  });
  if (often(4)) return line.slice(0, -1 - below(30));
  return often(3) ? `not json at all ${below(100)}` : line;
}

const logfmtLine = (): string =>
  [
    `level=${one(levels)}`,
    `msg="${one(['all fine', 'say \\"hi\\"', 'a = b', 'done'])}"`,
    `dur=${duration()}`,
    `size=${size()}`,
    `n=${one([below(100), decimal(below, 50), 'NaN', '-7', '1e3', 'x12'])}`,
    ...(often(40) ? [`env=inner`] : []),
    ...(often(30) ? ['flag', 'empty='] : []),
    ...(often(8) ? ['bad="unterminated'] : []),
    ...(often(6) ? ['a=b=c'] : []),
  ].join(' ');

const accessLine = (): string =>
  [
    `${address()} - ${one(['-', 'ann', 'bob'])} [01/Nov/2026:00:${below(60)}:00 +0000]`,
    `"${one(['GET', 'POST'])} ${one(paths)} HTTP/1.1" ${one([200, 301, 404, 500])} ${below(90_000)}`,
    `"${one(['curl/8.1', 'Mozilla/5.0 (X11)', '-'])}"`,
  ].join(' ');

const packedLine = (): string =>
  often(85)
    ? JSON.stringify({ _entry: logfmtLine(), pod: `pod-${below(4)}`, 'node.name': `n${below(2)}`, count: 5 })
    : one(['{"pod":"without entry"}', 'plain text', '{"broken":']);

const colouredLine = (): string =>
  `\u001b[3${below(8)}m${one(levels).toUpperCase()}\u001b[0m ${one(['Grüße', 'пример', '日本語', 'naïve'])} n=${below(20)} ${one(['foo', 'bar', 'foobar', 'FOO'])}`;

const kinds: [Record<string, string>[], () => string][] = [
  [
    [
      { app: 'api', env: 'prod', zone: 'a' },
      { app: 'api', env: 'prod', zone: 'b' },
      { app: 'api', env: 'dev', zone: 'a' },
    ],
    jsonLine,
  ],
  [
    [
      { app: 'worker', env: 'prod', zone: 'a' },
      { app: 'worker', env: 'dev', zone: 'b' },
    ],
    logfmtLine,
  ],
  [[{ app: 'nginx', env: 'prod', zone: 'b' }], accessLine],
  [[{ app: 'packed', env: 'dev', zone: 'a' }], packedLine],
  [[{ app: 'color', env: 'dev', zone: 'c' }], colouredLine],
];

export const lines: MemoryLine[] = Array.from({ length: spanS / everyS }, (_, slot) =>
  kinds.flatMap(([streams, line], kind) => {
    const labels = one(streams);
    // Not on whole seconds, except for some that are on the borders of ranges.
    const offset = often(20) && kind === 0 ? 0n : BigInt(1 + kind * 150 + below(140)) * 1_000_001n;
    const metadata = often(25) ? { trace: `t${below(6)}`, ...(often(20) && { level: 'meta', env: 'own' }) } : undefined;
    return {
      labels,
      timeNs: fromNs + BigInt(slot * everyS) * secondNs + offset,
      line: line(),
      ...(metadata && { metadata }),
    };
  }),
).flat();

// The body of a push.
export function pushBody(): string {
  const streams = Map.groupBy(lines, ({ labels }) => JSON.stringify(labels));
  return JSON.stringify({
    streams: [...streams.values()].map((group) => ({
      stream: group[0]?.labels,
      values: group.map(({ timeNs, line, metadata }) => [String(timeNs), line, ...(metadata ? [metadata] : [])]),
    })),
  });
}
