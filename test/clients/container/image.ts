// Builds the image of the Containerfile without a registry: the base image is composed of Debian's packages, npm's
// package of Node, and the npm of this machine.
import { cpSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { limits } from '../../../src/testing/limits.ts';
import { cache, find, once } from '../install.ts';
import { mustRun } from '../run.ts';
import type { Programs } from './programs.ts';

const root = join(import.meta.dirname, '../../..');
const folder = join(cache, `container-${process.arch}`);
const base = 'docker.io/library/node:24-bookworm-slim'; // as the Containerfile calls it

// The files that buildah needs. Images are built here, so none has a signature.
const policy = join(folder, 'policy.json');
const storage = (): string[] => ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
const build = ['bud', '--isolation', 'chroot', '--pull-never', '--format', 'docker', '--signature-policy', policy];

export interface ImageConfig {
  User: string;
  Entrypoint: string[];
  Cmd: string[];
  Volumes: Record<string, object>;
  ExposedPorts: Record<string, object>;
  Healthcheck: { Test: string[] };
}

export async function makeBase({ buildah, mmdebstrap, node }: Programs): Promise<void> {
  await once(folder, async () => {
    const context = join(folder, 'base');
    rmSync(context, { recursive: true, force: true });
    mkdirSync(context);
    const npm = find('CUMULET_NPM', 'npm');
    if (!npm.path) throw new Error(npm.skip);
    cpSync(node, join(context, 'node'));
    cpSync(dirname(dirname(realpathSync(npm.path))), join(context, 'npm'), { recursive: true });
    const settings = ['cache=/npm-cache'];
    const authorities = process.env.NODE_EXTRA_CA_CERTS;
    if (authorities) {
      cpSync(authorities, join(context, 'npm/authorities.pem'));
      settings.push('cafile=/usr/local/lib/node_modules/npm/authorities.pem');
    }
    writeFileSync(join(context, 'npmrc'), `${settings.join('\n')}\n`);
    writeFileSync(join(context, 'Containerfile'), baseFile);
    writeFileSync(policy, '{"default":[{"type":"insecureAcceptAnything"}]}\n');
    mkdirSync(join(folder, 'npm-cache'), { recursive: true });
    const wanted = ['--variant=essential', '--include=libstdc++6,libatomic1,passwd'];
    await mustRun([mmdebstrap, '--quiet', ...wanted, 'bookworm', join(context, 'rootfs.tar')], {
      limitMs: limits.build,
    });
    await mustRun([buildah, ...storage(), ...build, '--tag', base, context], { limitMs: limits.build });
    rmSync(context, { recursive: true });
  });
}

const baseFile = `FROM scratch
ADD rootfs.tar /
COPY --chmod=755 node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY npmrc /usr/local/etc/npmrc
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd --uid 1000 --create-home node
`;

export async function makeImage({ buildah }: Programs, tag: string): Promise<ImageConfig> {
  const file = ['--file', join(root, 'kit/container/Containerfile')];
  const volume = ['--volume', `${join(folder, 'npm-cache')}:/npm-cache`];
  await mustRun([buildah, ...storage(), ...build, ...volume, '--tag', tag, ...file, root], { limitMs: limits.build });
  const { stdout } = await mustRun([buildah, ...storage(), 'inspect', '--type', 'image', tag]);
  return (JSON.parse(stdout) as { Docker: { config: ImageConfig } }).Docker.config;
}

// As a bundle that a runtime starts: its file system, and config.json.
export async function unpackImage({ buildah, umoci }: Programs, tag: string, work: string): Promise<string> {
  const [image, bundle] = [join(work, 'image'), join(work, 'bundle')];
  await mustRun([buildah, ...storage(), 'push', '--signature-policy', policy, tag, `oci:${image}:latest`], {
    limitMs: limits.build,
  });
  await mustRun([umoci, 'unpack', '--image', `${image}:latest`, bundle], { limitMs: limits.build });
  return bundle;
}

export const removeImage = ({ buildah }: Programs, tag: string) =>
  mustRun([buildah, ...storage(), 'rmi', '--force', tag]);
