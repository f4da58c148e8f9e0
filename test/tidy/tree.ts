// The files that the rules of the tidy tests read, and the report of what a rule found.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lineAt, readSource, type Source } from './source.ts';

export const root = join(import.meta.dirname, '../..');
export const read = (path: string): string => readFileSync(join(root, path), 'utf8');
export const sourcesIn = (...folders: string[]): Source[] =>
  folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }))
    .sort()
    .map((path) => readSource(path, read(path)));

export const src = sourcesIn('src');
export const everything = [...src, ...sourcesIn('test', 'bench', 'bin', 'console')];
export const isTest = ({ path }: Source): boolean => path.endsWith('.test.ts');
// Tests, contracts of engines, and what only they need: none of it is in the npm package.
export const isForTests = (source: Source): boolean =>
  isTest(source) || /testing[\w-]*(?:\.ts$|\/)|\/(?:engines?|machine|network|state)\/contract/.test(source.path);

export function report(found: string[], why: string): void {
  if (found.length > 0) assert.fail(`${why}\n${found.map((place) => `  ${place}`).join('\n')}`);
}

export function matches(sources: Source[], view: 'code' | 'comments' | 'text', pattern: RegExp): string[] {
  return sources.flatMap((source) =>
    [...source[view].matchAll(new RegExp(pattern, 'g'))].map(
      (match) => `${source.path}:${lineAt(source.text, match.index)}: ${match[0].trim()}`,
    ),
  );
}

export const outside = (sources: Source[], ...homes: string[]): Source[] =>
  sources.filter(({ path }) => !homes.some((home) => path === home || (home.endsWith('/') && path.startsWith(home))));

// The files that git would commit. Without git, all files that no tool creates.
export function tracked(): string[] {
  let paths: string[];
  try {
    const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, stdio: 'pipe' });
    paths = listed.toString().split('\0');
  } catch {
    const isCreated = (path: string): boolean => /^(?:node_modules|dist|data|\.git)(?:\/|$)/.test(path);
    paths = globSync('{*,.ci/**,src/**,console/**,kit/**,test/**,bench/**,bin/**,docs/**}', {
      cwd: root,
      exclude: isCreated,
    });
  }
  return paths.filter((path) => path !== '' && existsSync(join(root, path)));
}
