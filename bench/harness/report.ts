// Draws a suite's table on the terminal and keeps it in results.md, a section per suite.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { cores } from './children.ts';
import type { Figure, Measured } from './figure.ts';

export interface Line {
  figure: Figure;
  measured?: Measured;
  why?: string; // without a figure: skipped or broken
  broken?: boolean;
}

const heads = ['figure', 'ours', 'peer', 'ratio', 'spread', 'demanded', ''];

export function drawTable(lines: readonly Line[]): string {
  const rows = [heads, ...lines.map(cells)];
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const drawn = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  drawn.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('  '));
  const notes = lines.flatMap((line) => noteOf(line).map((note) => `${line.figure.name}: ${note}`));
  return `${drawn.join('\n')}\n\n${notes.join('\n')}\n`;
}

export function keepResults(suite: string, remark: string, lines: readonly Line[]): void {
  const file = join(import.meta.dirname, '../results.md');
  const sections = new Map<string, string>();
  for (const part of readOr(file)
    .split(/^(?=## )/m)
    .slice(1))
    sections.set(/^## (\S+)/.exec(part)?.[1] ?? '', part);
  sections.set(suite, section(suite, remark, lines));
  const head =
    '# Measurements\n\nMade by `npm run bench`. Ratios are the median over interleaved pairs. Each section names its commit; those without one are older.\n\n';
  const parts = [...sections.values()].map((part) => part.trimEnd());
  writeFileSync(file, `${head}${parts.join('\n\n')}\n`);
}

function section(suite: string, remark: string, lines: readonly Line[]): string {
  const day = new Date().toISOString().slice(0, 10);
  const table = [heads.with(-1, 'result'), heads.map(() => '---'), ...lines.map(cells)]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
  const titles = lines.map(({ figure }) => `- **${figure.name}**: ${figure.title}, against ${figure.peer}`);
  const notes = lines.flatMap((line) => noteOf(line).map((note) => `- ${line.figure.name}: ${note}`));
  return [
    `## ${suite}`,
    `Commit ${commit()}, ${day}, ${machine()}${remark && `; ${remark}`}.`,
    table,
    titles.join('\n'),
    `Notes:\n\n${notes.join('\n')}`,
  ].join('\n\n');
}

function commit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--', '../..', ':!../results.md');
  return `${git('rev-parse', '--short=10', 'HEAD')}${changed === '' ? '' : ' with changes'}`;
}

export function machine(): string {
  const all = cpus();
  const pinned = cores.length ? 'servers and load on a core each' : 'nothing pinned';
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return `${all[0]?.model.trim() ?? 'unknown CPU'}, ${all.length} cores, ${memory}, Node ${process.versions.node}, ${pinned}`;
}

function cells({ figure, measured, why, broken }: Line): string[] {
  if (!measured) return [figure.name, '', '', '', '', figure.demanded, broken ? 'broken' : `skipped: ${why}`];
  const { ours, peer, ratio, pass, judged = true, noisy } = measured;
  const median = ratio ? ratio.median.toFixed(2) : '';
  const spread = ratio ? `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}` : '';
  return [
    figure.name,
    ours,
    peer,
    median,
    spread,
    figure.demanded,
    `${judged ? (pass ? 'pass' : 'miss') : 'not judged'}${noisy ? ', noisy' : ''}`,
  ];
}

const noteOf = ({ measured, why, broken }: Line): string[] => measured?.notes ?? (broken && why ? [why] : []);

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
