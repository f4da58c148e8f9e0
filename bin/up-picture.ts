// Draws docs/up.svg: what `up` prints on the first start, with the usual ports. A test compares the two.
// node_modules/.bin/node bin/up-picture.ts > docs/up.svg
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Ready } from '../src/cli/region/ready.ts';

const root = join(import.meta.dirname, '..');
const home = '~/cumulet/data';
const listenerPorts: Record<string, number> = { objects: 7071, dnsserver: 7053, forward: 9000 };

const ready = await firstStart();
process.stdout.write(draw(['$ ./cumulet up', ...(await screenOf(ready)).split('\n')]));

async function firstStart(): Promise<Ready> {
  const data = mkdtempSync(join(tmpdir(), 'cumulet-picture-'));
  const args = [join(root, 'bin/start.cjs'), 'up', '--json', '--port', '0', '--data', data];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as Ready;
    throw new Error('the region did not start');
  } finally {
    child.kill();
    child.once('close', () => rmSync(data, { recursive: true, force: true }));
  }
}

// As `up` itself prints it, on a wide terminal.
async function screenOf({ gateway, https, proxy, services, owner, ...rest }: Ready): Promise<string> {
  const usual = (url: string, port: number): string => url.replace(/:\d+(?=\/|$)/, `:${port}`);
  const shown: Ready = {
    ...rest,
    gateway: usual(gateway, 7070),
    https: usual(https, 7443),
    proxy: usual(proxy, 7070),
    services: Object.fromEntries(
      Object.entries(services).map(([name, url]) => [name, usual(url, listenerPorts[name] ?? 7070)]),
    ),
    data: home,
    log: `${home}/cumulet.log`,
    owner: { email: owner?.email ?? '', password: 'kXv2-9fTq0aLmWzE' },
  };
  delete process.env.NO_COLOR;
  process.env.TERM = 'xterm';
  process.env.CUMULET_COMMAND = './cumulet';
  const { stdout } = process;
  Object.assign(stdout, { isTTY: true, columns: 120 });
  const { announce } = await import('../src/cli/region/welcome.ts');
  let text = '';
  const write = stdout.write;
  stdout.write = (chunk: string | Uint8Array): boolean => {
    text += chunk;
    return true;
  };
  announce(shown, { json: false, background: false, hint: '' }, `${home}/owner.json`);
  stdout.write = write;
  return text.trimEnd();
}

function draw(lines: readonly string[]): string {
  const [left, top, columnWidth, lineHeight] = [20, 48, 8.13, 19];
  const height = top + lines.length * lineHeight;
  const rows = lines.flatMap((line, at) => {
    const spans = spansOf(line).map(({ text, column, style }) => {
      const x = (left + column * columnWidth).toFixed(1);
      return `<tspan x="${x}" ${style}>${escaped(text)}</tspan>`;
    });
    return spans.length === 0 ? [] : [`<text y="${top + at * lineHeight}">${spans.join('')}</text>`];
  });
  const buttons = ['#ff5f56', '#ffbd2e', '#27c93f'].map(
    (fill, at) => `<circle cx="${18 + 18 * at}" cy="16" r="5.5" fill="${fill}"/>`,
  );
  const font = 'font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="13.5"';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="1010" height="${height}" viewBox="0 0 1010 ${height}" ${font}>`,
    '<title>cumulet up: what runs where, the owner’s account, and what to do next</title>',
    `<rect width="1010" height="${height}" rx="8" fill="#0d1117"/>`,
    ...buttons,
    ...rows,
    '</svg>\n',
  ].join('\n');
}

interface Span {
  text: string;
  column: number;
  style: string;
}

// Pieces of one colour, without the blanks between them.
function spansOf(line: string): Span[] {
  const styles: Record<string, string> = {
    0: 'fill="#e6edf3"',
    1: 'fill="#e6edf3" font-weight="600"',
    2: 'fill="#8b949e"',
    32: 'fill="#3fb950"',
    36: 'fill="#58a6ff"',
  };
  const spans: Span[] = [];
  let [column, style] = [0, styles[0] ?? ''];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colour codes begin with
  for (const [, code, text = ''] of line.matchAll(/\u001b\[(\d+)m|([^\u001b]+)/g)) {
    if (code !== undefined) style = styles[code] ?? style;
    for (const { 0: piece, index } of text.matchAll(/\S+(?: \S+)*/g))
      spans.push({ text: piece, column: column + index, style });
    column += text.length;
  }
  return spans;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
