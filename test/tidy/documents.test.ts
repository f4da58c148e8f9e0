// The pages in Markdown: every link leads to a file, and to a heading of it; every decision is in the index.
import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { read, report, root } from './tree.ts';

const pages = globSync(['*.md', 'docs/**/*.md', 'bench/*.md'], { cwd: root }).sort();
const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '`');

// As GitHub names the headings of a page.
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );

test('every link in a page leads to a file and a heading', () => {
  const broken = pages.flatMap((page) =>
    [...withoutCode(read(page)).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
      ([, path = '', anchor]) => {
        const target = path === '' ? page : join(dirname(page), path);
        if (!existsSync(join(root, target))) return `${page}: ${target} does not exist`;
        const isFound = anchor === undefined || anchorsOf(target).includes(anchor);
        return isFound ? [] : `${page}: ${target} has no heading #${anchor}`;
      },
    ),
  );
  report(broken, 'Correct these links:');
});

test('the index of decisions lists each of them with its number', () => {
  const index = read('docs/decisions/README.md');
  const listed = [...index.matchAll(/^\| (\d+) \| \[.*\]\((\d+)-(.*)\) \|$/gm)].map(
    ([, number = '', prefix = '', name]) => {
      assert.equal(Number(number), Number(prefix));
      return `${prefix}-${name}`;
    },
  );
  assert.deepEqual(listed, globSync('*-*.md', { cwd: join(root, 'docs/decisions') }).sort());
});
