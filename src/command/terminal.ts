// Text for the terminal: colours, columns, tables, sizes and durations.
import { environment } from '../config/environment.ts';

const coloured = process.stdout.isTTY === true && !environment.isPlain();
const paint = (code: string) => (text: string) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text);

export const bold = paint('1');
export const dim = paint('2');
export const green = paint('32');
export const cyan = paint('36');

export const print = (text: string): void => void process.stdout.write(`${text}\n`);
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

const width = Math.min(100, process.stdout.columns ?? 80);

// Two columns; the second is wrapped and stays in its column.
export function columns(rows: readonly (readonly [string, string])[], least = 0): string {
  const first = Math.max(least, ...rows.map(([left]) => left.length)) + 4;
  return rows
    .map(([left, right]) => `  ${left.padEnd(first - 2)}${wrapped(right, width - first, ' '.repeat(first))}`)
    .join('\n');
}

export function wrapped(text: string, columnsWide: number, indent: string): string {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + word.length + 1 > columnsWide) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${indent}`);
}

// A table with a header. Values are never truncated, so that they can be copied.
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, at) => (at === cells.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  ');
  return [dim(line(head)), ...rows.map(line)].join('\n');
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];

export function size(bytes: number): string {
  const at = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** at;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}

export function duration(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ] as const;
  const from = parts.findIndex(([count]) => count > 0);
  if (from < 0) return '0 s';
  return parts
    .slice(from, from + 2)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
