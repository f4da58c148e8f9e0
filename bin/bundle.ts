// Bundles the program with esbuild into dist/, which is what runs everywhere: in a checkout, in the npm package and in
// the tests that start a region. One file per thread or process (decision 34), the web app, and the files that the
// program reads. dist/inputs.json names every source with its time and size: bin/start.cjs compares them.
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin, stop } from 'esbuild';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const source = join(root, 'src');
const web = join(root, 'console');

// Files that the program refers to by their URL: threads, child processes, modules that a thread loads.
const reference = /new URL\(\s*'(\.{1,2}\/[\w./-]+)\.ts',\s*import\.meta\.url\s*,?\s*\)/g;
const isTest = (path: string): boolean => /testing|\.test\.ts$/.test(path);

interface Output {
  path: string; // relative to dist/
  contents: string | Uint8Array;
}

const { isBundleCurrent } = createRequire(import.meta.url)('./freshness.cjs') as { isBundleCurrent(): boolean };

export async function bundleIfStale(): Promise<void> {
  if (!isBundleCurrent()) await bundleProgram();
}

export async function bundleProgram(): Promise<void> {
  const startedAt = Date.now();
  try {
    const [program, kit, web] = await Promise.all([buildProgram(), buildKit(), buildWebApp()]);
    for (const { path, contents } of [...program.outputs, ...kit.outputs, ...web.outputs]) put(path, contents);
    const assets = globSync('**/*.{json,html,css,js,svg}', { cwd: source });
    for (const asset of assets) cpSync(join(source, asset), join(dist, asset));
    const read = [program, kit, web].flatMap(({ inputs }) => inputs);
    const others = ['package-lock.json', 'bin/bundle.ts', ...assets.map((path) => join('src', path))];
    put(
      'inputs.json',
      JSON.stringify([...new Set([...read, ...others])].sort().map((path) => describe(path, startedAt))),
    );
  } finally {
    await stop(); // ends esbuild's own process
  }
}

interface Built {
  outputs: (Output & { sources: string[] })[];
  inputs: string[]; // sources, relative to the project
}

function buildProgram(): Promise<Built> {
  const modules = globSync('**/*.ts', { cwd: source }).filter((path) => !isTest(path));
  const threads = modules.flatMap((path) =>
    [...readFileSync(join(source, path), 'utf8').matchAll(reference)].map(([, to]) => join(dirname(path), `${to}.ts`)),
  );
  return run({
    entryPoints: ['main.ts', ...threads].map((path) => ({ in: join(source, path), out: flatName(path) })),
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    platform: 'node',
    target: 'node24',
    minifyWhitespace: true, // the text of the program stays in memory
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [lazyPackages, locations],
  });
}

// Test suites import the kit, so it is a separate ES module.
function buildKit(): Promise<Built> {
  return run({
    entryPoints: [{ in: join(source, 'kit/index.ts'), out: 'kit/index' }],
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
}

// The console (main.tsx), the API pages (reference.tsx) and styles.css. Code that is imported dynamically becomes
// separate files.
async function buildWebApp(): Promise<Built> {
  const options: BuildOptions = {
    splitting: true,
    format: 'esm',
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    sourcemap: 'linked',
    charset: 'utf8',
    legalComments: 'eof',
    plugins: [oneFileOfMain],
  };
  const runs = await Promise.all(
    [['main.tsx', 'styles.css'], ['reference.tsx']].map((names) =>
      run({ ...options, entryPoints: names.map((name) => join(web, name)) }),
    ),
  );
  const outputs = runs.flatMap((one) => one.outputs);
  const files = outputs.map(({ path, contents }) => [path, Buffer.from(contents).toString()]);
  const main = outputs.find(({ sources }) => sources.includes('console/main.tsx'));
  const contents = JSON.stringify({ main: main?.path, files });
  return {
    outputs: [{ path: 'console/web-app.json', contents, sources: [] }],
    inputs: runs.flatMap((one) => one.inputs),
  };
}

// esbuild puts a module into a file of those that the same entry points import. Without this plugin, the modules that
// main.tsx imports would be in fifty files, because each is also imported by some of the pages that are loaded later.
// Here each of those pages imports main.tsx, so all that main.tsx imports is in one file.
const oneFileOfMain: Plugin = {
  name: 'one-file-of-main',
  setup({ onLoad }) {
    const modules = globSync('**/*.{ts,tsx}', { cwd: web });
    const later = new Set(
      modules.flatMap((path) =>
        [...readFileSync(join(web, path), 'utf8').matchAll(/\bimport\('(\.{1,2}\/[^']+)'\)/g)].map(([, to = '']) =>
          join(web, dirname(path), to),
        ),
      ),
    );
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      if (!later.has(path)) return undefined;
      const from = relative(dirname(path), join(web, 'main.tsx'));
      const contents = `import '${from.startsWith('.') ? from : `./${from}`}'; ${readFileSync(path, 'utf8')}`;
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

async function run(options: BuildOptions): Promise<Built> {
  const { outputFiles = [], metafile } = await build({
    absWorkingDir: root,
    outdir: dist,
    bundle: true,
    write: false,
    metafile: true,
    legalComments: 'none',
    logLevel: 'silent',
    ...options,
  });
  const { outputs: described = {} } = metafile ?? {};
  const outputs = outputFiles.map(({ path, contents }) => ({
    path: relative(dist, path),
    contents,
    sources: Object.keys(described[relative(root, path)]?.inputs ?? {}),
  }));
  return { outputs, inputs: sourcesOf(metafile as Metafile) };
}

// Packages change only with package-lock.json.
const sourcesOf = ({ inputs }: Metafile): string[] =>
  Object.keys(inputs).filter((path) => !path.includes('node_modules/') && !path.includes(':'));

// A package that the program imports dynamically is loaded from node_modules when it is needed.
const lazyPackages: Plugin = {
  name: 'lazy-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ kind, path, importer }) =>
      kind === 'dynamic-import' && importer.startsWith(source) ? { path, external: true } : undefined,
    );
  },
};

// All bundles are in dist/ itself, so a module there finds a thread's bundle by its flat name, and other files at the
// place where they are in src/.
const locations: Plugin = {
  name: 'locations',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!path.startsWith(source)) return undefined;
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta')) return undefined;
      const own = relative(source, path);
      const contents = text
        .replaceAll(reference, (_, to) => `new URL('./${flatName(join(dirname(own), `${to}.ts`))}.cjs', bundleUrl)`)
        .replaceAll('import.meta.url', `new URL('./${own}', bundleUrl).href`)
        .replaceAll('import.meta.dirname', `require('node:path').join(__dirname, '${dirname(own)}')`);
      return { contents: contents.includes('bundleUrl') ? `${bundleUrl}${contents}` : contents, loader: 'ts' };
    });
  },
};
const bundleUrl = "const bundleUrl = require('node:url').pathToFileURL(__filename);";

const flatName = (path: string): string => path.replace(/\.ts$/, '').replaceAll('/', '.');

// A source that changed during the build gets no time, so the next start bundles again.
function describe(path: string, startedAt: number): [path: string, mtimeMs: number, size: number] {
  const { mtimeMs, size } = statSync(join(root, path));
  return [path, mtimeMs < startedAt ? mtimeMs : 0, size];
}

// Complete or not at all: another process may read the file at the same time.
function put(path: string, contents: string | Uint8Array): void {
  const file = join(dist, path);
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, file);
}
