// The functions with the most self time in the CPU profiles of a folder.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join, relative } from 'node:path';

interface Frame {
  functionName: string;
  url: string;
  lineNumber: number;
  columnNumber: number;
}

interface CpuProfile {
  nodes: { id: number; callFrame: Frame }[];
  samples: number[];
  timeDeltas: number[];
}

const functionsShown = 25;
const filesShown = 15;
const root = join(import.meta.dirname, '../..');

// Reads and removes the profiles that were written since the last call.
export function profileSummary(folder: string): string {
  const files = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  return files
    .map((name) => {
      const file = join(folder, name);
      const text = summary(JSON.parse(readFileSync(file, 'utf8')) as CpuProfile);
      rmSync(file);
      return text;
    })
    .join('\n');
}

function summary({ nodes, samples, timeDeltas }: CpuProfile): string {
  const frames = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const functions = new Map<string, number>();
  const files = new Map<string, number>();
  let busy = 0;
  let idle = 0;
  for (const [at, id] of samples.entries()) {
    const frame = frames.get(id);
    const us = timeDeltas[at] ?? 0;
    if (!frame || frame.functionName === '(idle)') {
      idle += us;
      continue;
    }
    busy += us;
    const { file, line } = placeOf(frame);
    const name = frame.functionName || '(anonymous)';
    add(functions, file ? `${name}  ${file}:${line}` : name, us);
    add(files, file || '(native, garbage collector)', us);
  }
  const table = (times: Map<string, number>, rows: number): string[] =>
    [...times]
      .sort((a, b) => b[1] - a[1])
      .slice(0, rows)
      .map(([name, us]) => `${((100 * us) / busy).toFixed(1).padStart(5)} %  ${name}`);
  const head = `\nself time of ${(busy / 1e6).toFixed(1)} s busy, ${(idle / 1e6).toFixed(1)} s idle`;
  return [head, ...table(functions, functionsShown), 'by file:', ...table(files, filesShown), ''].join('\n');
}

const add = (times: Map<string, number>, name: string, us: number): Map<string, number> =>
  times.set(name, (times.get(name) ?? 0) + us);

// The place in the source where the bundle has a map for it.
function placeOf({ url, lineNumber, columnNumber }: Frame): { file: string; line: number } {
  if (!url.startsWith('file://')) return { file: url.startsWith('wasm:') ? 'wasm' : url, line: lineNumber + 1 };
  const path = new URL(url).pathname;
  const entry = mapOf(path)?.findEntry(lineNumber, columnNumber);
  if (!entry || !('originalSource' in entry)) return { file: relative(root, path), line: lineNumber + 1 };
  return { file: relative(root, join(dirname(path), entry.originalSource)), line: entry.originalLine + 1 };
}

const maps = new Map<string, SourceMap | undefined>();

function mapOf(path: string): SourceMap | undefined {
  if (!maps.has(path)) {
    const file = `${path}.map`;
    maps.set(path, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined);
  }
  return maps.get(path);
}
