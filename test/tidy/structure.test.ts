// The shape of the tree: no import circles, folders that can be looked over, and nothing in src that needs test.
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { everything, isForTests, report, src } from './tree.ts';

const mostFiles = 24; // 20 is the aim
const targetsOf = new Map(
  everything.map(({ path, imports }): [string, string[]] => [
    path,
    imports
      .filter((one) => one.path.startsWith('.') && !one.isUrl)
      .map((one) => normalize(join(dirname(path), one.path))),
  ]),
);

test('no import leads in a circle', () => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, above: string[]): void => {
    const from = above.indexOf(path);
    if (from >= 0) circles.push([...above.slice(from), path].join(' → '));
    if (from >= 0 || done.has(path)) return;
    for (const target of targetsOf.get(path) ?? []) visit(target, [...above, path]);
    done.add(path);
  };
  for (const { path } of everything) if (/^(?:src|console)\//.test(path)) visit(path, []);
  report(
    circles,
    'Files in a circle can only be read, tested and moved together: move the common code to another file.',
  );
});

test('nothing in src imports from test', () => {
  const found = src.flatMap(({ path }) =>
    (targetsOf.get(path) ?? []).filter((one) => one.startsWith('test/')).map((one) => `${path}: imports ${one}`),
  );
  report(found, 'Test helpers that unit tests need are in src/testing, or in testing.ts next to the code.');
});

test(`no folder has more than ${mostFiles} source files`, () => {
  const folders = Map.groupBy(
    everything.filter((source) => !isForTests(source)),
    ({ path }) => dirname(path),
  );
  const found = [...folders].filter(([, files]) => files.length > mostFiles);
  report(
    found.map(([folder, files]) => `${folder}: ${files.length} files`),
    'A folder is looked over at a glance: files that share a noun get a separate folder.',
  );
});
