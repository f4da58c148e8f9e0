// Programs that build and run images without a daemon, from Debian's packages; and Helm, built from its Go module.
import { copyFileSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { debian, debianTree } from '../debian.ts';
import { ofModule } from '../go-module.ts';
import { type Absent, cache, type Found, find, firstNode, nodeOf, once } from '../install.ts';
import { mustRun } from '../run.ts';

export const helm = (): Promise<Found | Absent> =>
  ofModule('CUMULET_HELM', 'helm.sh/helm/v3@v3.22.0', 'helm', './cmd/helm');

export type Programs = Record<'buildah' | 'runc' | 'umoci' | 'mmdebstrap' | 'node', string>;

const unpacked = ['runc', 'umoci', 'mmdebstrap'] as const;

export async function containerPrograms(): Promise<Programs | Absent> {
  if (process.getuid?.() !== 0) return { skip: 'only root may make the layers of an image here' };
  const builder = await buildah();
  if (builder.path === undefined) return builder;
  const found: Record<string, string> = { buildah: builder.path };
  for (const name of unpacked) {
    const one: Found | Absent = await debian(`CUMULET_${name.toUpperCase()}`, name, name);
    if (one.path === undefined) return one;
    found[name] = one.path;
  }
  const node = await nodeOf(firstNode); // of the image
  return node.path === undefined ? node : ({ ...found, node: node.path } as Programs);
}

// It starts itself again without an environment, so the program itself names the folders of its libraries.
async function buildah(): Promise<Found | Absent> {
  const found = find('CUMULET_BUILDAH', 'buildah');
  if (found.path || process.env.CUMULET_BUILDAH) return found;
  const packages = ['buildah', 'libgpgme11', 'libassuan0', 'libdevmapper1.02.1', 'patchelf'];
  const tree = await debianTree('buildah-tree', packages);
  if (tree.path === undefined) return tree;
  const folder = join(cache, `buildah-${process.arch}`);
  const program = join(folder, 'buildah');
  await once(folder, async () => {
    const libraries = globSync('{usr/,}lib/*-linux-gnu/', { cwd: tree.path }).map((one) => join(tree.path, one));
    copyFileSync(join(tree.path, 'usr/bin/buildah'), program);
    const patchelf = join(tree.path, 'usr/bin/patchelf');
    await mustRun([patchelf, '--force-rpath', '--set-rpath', libraries.join(delimiter), program]);
  });
  return { path: program };
}
