// Programs that build and run images without a daemon, from Debian's packages.
import { debian } from '../debian.ts';
import { type Absent, type Found, firstNode, nodeOf } from '../install.ts';

export type Programs = Record<'buildah' | 'runc' | 'umoci' | 'mmdebstrap' | 'node', string>;

const packages = {
  buildah: ['libgpgme11', 'libassuan0', 'libdevmapper1.02.1'],
  runc: [],
  umoci: [],
  mmdebstrap: [],
};

export async function containerPrograms(): Promise<Programs | Absent> {
  if (process.getuid?.() !== 0) return { skip: 'only root may make the layers of an image here' };
  const found: Record<string, string> = {};
  for (const [name, libraries] of Object.entries(packages)) {
    const one: Found | Absent = await debian(`CUMULET_${name.toUpperCase()}`, name, name, libraries);
    if (one.path === undefined) return one;
    found[name] = one.path;
  }
  const node = await nodeOf(firstNode); // of the image
  return node.path === undefined ? node : ({ ...found, node: node.path } as Programs);
}
