// The bundle of a checkout and its cache.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { readCheckout } from './web-app.ts';

// A web app of its own, with a cache beside it.
function checkout(t: TestContext, main: string): { folder: string; cache: string; write(text: string): void } {
  const root = mkdtempSync(join(tmpdir(), 'cumulet-web-app-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'console');
  mkdirSync(folder);
  writeFileSync(join(folder, 'styles.css'), 'p { color: red }');
  writeFileSync(join(folder, 'reference.tsx'), 'console.log(0);');
  const write = (text: string): void => writeFileSync(join(folder, 'main.tsx'), text);
  write(main);
  return { folder, cache: join(root, 'cache/web-app.json'), write };
}

const textOf = (files: [string, string][], name: string): string => new Map(files).get(name) ?? '';

suite('the web app of a checkout', () => {
  test('is bundled once, kept in the cache, and bundled again when a source changes', async (t) => {
    const { folder, cache, write } = checkout(t, 'const one: number = 1;\nconsole.log(one + 41);');
    const first = await readCheckout(folder, cache);
    assert.match(textOf(first, 'main.js'), /console\.log\(42\)/);
    assert.match(textOf(first, 'styles.css'), /color:red/);
    const kept = JSON.parse(readFileSync(cache, 'utf8')) as { files: [string, string][] };
    assert.deepEqual(kept.files, first);
    kept.files = [['main.js', 'from the cache']];
    writeFileSync(cache, JSON.stringify(kept));
    assert.equal(textOf(await readCheckout(folder, cache), 'main.js'), 'from the cache');
    write('console.log("changed");');
    assert.match(textOf(await readCheckout(folder, cache), 'main.js'), /changed/);
  });

  test('is bundled again when a source changes that is not in its folder', async (t) => {
    const { folder, cache } = checkout(t, 'import { one } from "../one.ts";\nconsole.log(one);');
    writeFileSync(join(folder, '../one.ts'), 'export const one = "before";');
    assert.match(textOf(await readCheckout(folder, cache), 'main.js'), /before/);
    writeFileSync(join(folder, '../one.ts'), 'export const one = "after";');
    assert.match(textOf(await readCheckout(folder, cache), 'main.js'), /after/);
  });

  test('tells what is wrong with a source, and keeps nothing of it', async (t) => {
    const { folder, cache, write } = checkout(t, 'const = 1;');
    await assert.rejects(readCheckout(folder, cache), /main\.tsx:1:6: ERROR/);
    write('console.log(1);');
    assert.match(textOf(await readCheckout(folder, cache), 'main.js'), /console\.log\(1\)/);
  });

  test('does without a cache that can not be read or written', async (t) => {
    const { folder, cache } = checkout(t, 'console.log(1);');
    writeFileSync(join(folder, '../cache'), 'a file where the folder would be');
    assert.match(textOf(await readCheckout(folder, cache), 'main.js'), /console\.log\(1\)/);
  });
});
