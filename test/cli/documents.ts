// The commands of a page in Markdown, run in one shell as a reader runs them, and compared with the output it shows.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ended, launch, stopWithUs } from '../harness/process.ts';

const root = join(import.meta.dirname, '../..');
const main = join(root, 'bin/start.cjs');

export interface Block {
  language: string;
  name: string; // the second word after the fence: a file's name, or what the commands need
  text: string;
}

export function blocksOf(path: string): Block[] {
  const page = readFileSync(join(root, path), 'utf8');
  return [...page.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(([, language = '', name = '', text = '']) => ({
    language,
    name,
    text,
  }));
}

export interface Walk {
  needs?: string[]; // the named blocks of commands that are run too
  env?: Record<string, string>;
  limitMs: number;
}

// Runs the blocks `sh` in their order, in a new folder that has the files of the page and `./cumulet`, whose regions
// take free ports. Each block `text` shows lines that the commands before it print, in this order.
export async function walkThrough(path: string, { needs = [], env = {}, limitMs }: Walk): Promise<void> {
  const blocks = blocksOf(path);
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-page-'));
  const data = join(folder, 'data');
  const own = { CUMULET_DATA: data, HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') };
  try {
    for (const { language, name, text } of blocks) if (isFile(language, name)) writeFileSync(join(folder, name), text);
    writeCommand(folder);
    stopWithUs(data);
    const script = blocks.map((block, index) => (isRun(block, needs) ? `echo '${mark(index)}'\n${block.text}` : ''));
    const child = launch([], {
      command: ['bash', '-euo', 'pipefail', '-c', script.join('\n')],
      env: { ...own, NO_COLOR: '1', ...env },
      cwd: folder,
    });
    const { code, stdout: coloured, stderr } = await ended(child, path, limitMs);
    const stdout = stripVTControlCharacters(coloured);
    assert.equal(code, 0, `${path}:\n${stdout}${stderr}`);
    for (const [index, block] of blocks.entries()) {
      const before = blocks[index - 1];
      if (block.language !== 'text' || !before || !isRun(before, needs)) continue;
      const [, after = ''] = stdout.split(`${mark(index - 1)}\n`);
      const printed = after.split('--- block ')[0] ?? '';
      assert.match(printed.replaceAll(/[ \t]+/g, ' '), shownAs(block.text), `${path} after:\n${before.text}${stderr}`);
    }
  } finally {
    const down = launch([join(folder, 'cumulet')], { command: ['sh'], env: { ...own, STOP: '1' } });
    await ended(down, 'cumulet down', limitMs);
    rmSync(folder, { recursive: true, force: true });
  }
}

const mark = (index: number): string => `--- block ${index}`;
const isFile = (language: string, name: string): boolean => language !== 'sh' && name.includes('.');
const isRun = ({ language, name }: Block, needs: string[]): boolean =>
  language === 'sh' && (name === '' || needs.includes(name));

// `./cumulet`, whose `up` runs in the background on free ports; with STOP set, it stops a region that still runs.
function writeCommand(folder: string): void {
  mkdirSync(join(folder, 'config'));
  const program = join(folder, 'cumulet');
  const run = `exec '${process.execPath}' '${main}'`;
  const text = `#!/bin/sh
[ -z "\${STOP-}" ] || ${run} down
[ "\${1-}" != up ] || set -- "$@" --port 0
case " $* " in *' --detach '*) ;; ' up '*) set -- "$@" --detach;; esac
${run} "$@"
`;
  writeFileSync(program, text);
  chmodSync(program, 0o755);
}

// Other lines may be in between, and an ellipsis is any text within a line.
function shownAs(text: string): RegExp {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split('…').map(escaped).join('[^\\n]*'));
  return new RegExp(lines.join('[^]*?\\n *'));
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/ +/g, ' +');
