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
    surface: ['base', 'core', 'surface'],
    config: ['base', 'core', 'surface', 'config'],
  };
  const layerOf = (path: string): string => path.split('/')[1] as string;
  const isTop = (layer: string): boolean => layer === 'cli' || layer.endsWith('.ts');
  const blackBox = 'src/testing/black-box/'; // what black-box tests use of the program; it may import any product
  const allowed = (layer: string): string[] => layers[layer] ?? ['base', 'core', 'surface', layer];

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
    report(found, 'Everything stands on base, so base stands on nothing but Node.');
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
    report(found, 'What is not in `dependencies` is missing where the package is installed.');
  });
});
