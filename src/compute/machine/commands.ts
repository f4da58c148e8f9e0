// `machines build` and `machines pull`: the images that real machines boot from. They are stored in the engine, so all
// of its regions share them.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Command, Input, Option } from '../../command/command.ts';
import { print, size } from '../../command/terminal.ts';
import { self } from '../../config/command-line.ts';
import { environment } from '../../config/environment.ts';
import { DockerApi } from './docker/api.ts';
import { buildDebian } from './docker/build-debian.ts';
import { Images } from './docker/images.ts';
import { probeDocker, socketOf } from './docker/open-docker.ts';
import type { ImageProgress } from './engine.ts';

const engineOption: Option = {
  name: 'machines',
  takes: 'ENGINE',
  help: 'docker (DOCKER_HOST or the default socket) or docker+unix:///PATH',
};

const tell = (text: string): void => void process.stderr.write(`${text}\n`);

async function imagesOf(input: Input): Promise<Images> {
  const socket = socketOf(input.get('machines') ?? 'docker', environment.dockerHost());
  const { title } = await probeDocker(socket);
  const api = new DockerApi(socket);
  tell(title);
  return new Images(api);
}

export const buildImage: Command = {
  name: 'machines build',
  operands: 'debian',
  mostOperands: 1,
  about:
    'Builds the image of a distribution from its packages, with mmdebstrap, and loads it into the machine engine. It ' +
    'needs root and the package mirror that apt uses, but no image registry. Only debian is supported.',
  options: [engineOption],
  examples: [['cumulet machines build debian', 'servers with imageAlias debian:latest boot from it']],
  async run(input) {
    const [name] = input.operands;
    if (name !== 'debian') throw new Fault('refused', `Only debian is supported. Run: ${self()} machines build debian`);
    const images = await imagesOf(input);
    const { archive, names } = await buildDebian(join(environment.cacheFolder(), 'machine-images'), tell);
    const loaded = await images.load(createReadStream(archive), names, ({ what }) => tell(what));
    print(`Built ${loaded.join(' and ')}.`);
    return 0;
  },
};

export const pullImage: Command = {
  name: 'machines pull',
  operands: 'NAME',
  mostOperands: 1,
  about:
    'Pulls the image of a distribution, by its alias in the catalogue or its name in a registry, and prepares it once with ' +
    'sshd and cloud-init. A server does the same when it needs an image that the engine does not have.',
  options: [engineOption],
  examples: [['cumulet machines pull ubuntu:24.04', 'before the first server with this image']],
  async run(input) {
    const [name] = input.operands;
    if (name === undefined) throw new Fault('refused', `Name an image. See: ${self()} machines pull --help`);
    const images = await imagesOf(input);
    let last = '';
    const prepared = await images.resolve([name], (progress) => {
      const line = lineOf(progress);
      if (line !== last) tell(line);
      last = line;
    });
    print(`${name} is ready as ${prepared}.`);
    return 0;
  },
};

const lineOf = ({ what, done, total }: ImageProgress): string =>
  total === 0 ? what : `${what} ${Math.floor((done / total) * 10) * 10} % of ${size(total)}`;
