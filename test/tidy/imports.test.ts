// The rules about which file may import which.
import { dirname, join, normalize } from 'node:path';
import { suite, test } from 'node:test';
import type { Source } from './source.ts';
import { everything, isForTests, outside, read, report, src } from './tree.ts';

const target = (source: Source, path: string): string => normalize(join(dirname(source.path), path));

suite('imports', () => {
  // A folder of src that is not named here is a product.
  const layers: Record<string, string[]> = {
    base: ['base'],
    core: ['base', 'core'],
    config: ['base', 'core', 'config'],
    command: ['base', 'core', 'config', 'command'],
    surface: ['base', 'core', 'config', 'command', 'surface'],
    // Between products and commands: they reach products by their declarations and ports.
    'region-data': ['base', 'core', 'config', 'surface', 'products.ts', 'region-data'],
    seeds: ['base', 'core', 'config', 'command', 'surface', 'region-data', 'seeds'],
  };
  const layerOf = (path: string): string => path.split('/')[1] as string;
  const isTop = (layer: string): boolean => layer === 'cli' || layer.endsWith('.ts');
  const blackBox = 'src/testing/black-box/'; // what black-box tests use of the program; it may import any product
  const allowed = (layer: string): string[] => layers[layer] ?? ['base', 'core', 'config', 'command', 'surface', layer];

  test('run one way: base < core < surface and products < platform < main', () => {
    const found = outside(src, blackBox)
      .filter(({ path }) => !isTop(layerOf(path)))
      .flatMap((source) =>
        source.imports
          .filter(({ path }) => path.startsWith('.'))
          .filter(({ path }) => !(isForTests(source) && target(source, path).startsWith('src/testing/')))
          .filter(({ path }) => !allowed(layerOf(source.path)).includes(layerOf(target(source, path))))
          .map(({ path, line }) => `${source.path}:${line}: imports ${target(source, path)}`),
      );
    report(found, 'A lower layer knows no higher one, and no product knows another: platform.ts hands it a port.');
  });

  // Everything in src that is a folder and no layer. platform.ts starts the two products that each region needs.
  const productOf = (path: string): string | undefined => {
    const [, folder = '', file] = path.split('/');
    const isProduct = file !== undefined && !(folder in layers) && !['cli', 'testing', 'kit'].includes(folder);
    return isProduct ? folder : undefined;
  };
  const doors: Record<string, readonly string[]> = {
    'src/platform.ts': ['src/compute/catalogue/catalogue.ts', 'src/identity/accounts/first-owner.ts'],
  };

  test('of a product from outside lead to its declaration only, and only from products.ts', () => {
    const found = outside(src, blackBox)
      .filter((source) => !isForTests(source))
      .flatMap((source) =>
        source.imports
          .filter(({ path }) => path.startsWith('.'))
          .map(({ path, line }) => ({ to: target(source, path), line }))
          .filter(({ to }) => productOf(to) !== undefined && productOf(to) !== productOf(source.path))
          .filter(({ to }) => !(source.path === 'src/products.ts' && /^src\/[\w-]+\/declaration\.ts$/.test(to)))
          .filter(({ to }) => !doors[source.path]?.includes(to))
          .map(({ to, line }) => `${source.path}:${line}: imports ${to}`),
      );
    report(found, 'Without the product, its folder is missing: use its declaration, a hook of ProductData, or a port.');
  });

  test('of black-box tests lead out of test/ to src/testing only', () => {
    const commands = ['test/run.ts', 'test/command.ts']; // `./cumulet test` itself
    const inTest = outside(everything, ...commands).filter(({ path }) => path.startsWith('test/'));
    const found = inTest.flatMap((source) =>
      source.imports
        .map(({ path, line }) => ({ to: target(source, path), line }))
        .filter(({ to }) => to.startsWith('src/') && !to.startsWith('src/testing/'))
        .map(({ to, line }) => `${source.path}:${line}: imports ${to}`),
    );
    report(
      found,
      'A black-box test uses the public surface. A test of modules is next to them. A tool is in src/testing.',
    );
  });

  test('of src do not lead to the tools of black-box tests', () => {
    const found = outside(src, blackBox).flatMap((source) =>
      source.imports
        .filter(({ path }) => path.startsWith('.') && target(source, path).startsWith(blackBox))
        .map(({ path, line }) => `${source.path}:${line}: imports ${target(source, path)}`),
    );
    report(found, 'They know all products. A unit test imports the module itself.');
  });

  test('of base are its own files and node: only, but for certificates', () => {
    const allowed = ['pkijs', 'asn1js']; // the second one is what the first one takes values as
    const found = src
      .filter((source) => layerOf(source.path) === 'base')
      .flatMap((source) =>
        source.imports
          .filter(({ path }) => !path.startsWith('.') && !path.startsWith('node:') && !allowed.includes(path))
          .map(({ path, line }) => `${source.path}:${line}: imports ${path}`),
      );
    report(found, 'Everything depends on base, so base depends on Node only.');
  });

  test('of packages are of those that the npm package installs', () => {
    const { dependencies = {} } = JSON.parse(read('package.json')) as { dependencies?: Record<string, string> };
    const packageOf = (path: string): string => path.split('/', path.startsWith('@') ? 2 : 1).join('/');
    const found = src
      .filter((source) => !isForTests(source))
      .flatMap((source) =>
        source.imports
          .filter(
            ({ path }) => !path.startsWith('.') && !path.startsWith('node:') && !(packageOf(path) in dependencies),
          )
          .map(({ path, line }) => `${source.path}:${line}: imports ${path}`),
      );
    report(found, 'A package outside `dependencies` is missing where the npm package is installed.');
  });
});
