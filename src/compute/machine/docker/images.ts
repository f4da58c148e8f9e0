// Images that machines boot from. A prepared image is `cumulet/NAME:TAG` in the engine; all regions share it. A missing
// one is pulled and prepared once.
import type { Readable } from 'node:stream';
import { Fault } from '../../../base/fault.ts';
import type { ImageProgress } from '../engine.ts';
import { type DockerApi, filters, jsonLines } from './api.ts';
import { shellCommand } from './boot-script.ts';
import { plain } from './engine-error.ts';
import { prepareScript } from './image-scripts.ts';
import { imageLabel } from './names.ts';

type Report = (progress: ImageProgress) => void;

// If the registry's name differs from the alias of the catalogue.
const registryNames: Readonly<Record<string, string>> = {
  rocky: 'rockylinux/rockylinux',
  centos: 'quay.io/centos/centos',
};

const preparedName = (name: string): string => {
  const [repository = '', tag = 'latest'] = splitTag(name);
  return `cumulet/${repository.replaceAll(/[^a-z0-9._-]+/g, '-')}:${tag}`;
};

function splitTag(name: string): [repository: string, tag: string] {
  const at = name.lastIndexOf(':');
  return at > name.lastIndexOf('/') ? [name.slice(0, at), name.slice(at + 1)] : [name, 'latest'];
}

export class Images {
  readonly #api: DockerApi;
  readonly #under = new Map<string, Promise<string>>();

  constructor(api: DockerApi) {
    this.#api = api;
  }

  // The prepared image for the first of these names that the engine has, or that can be pulled.
  async resolve(names: readonly string[], report: Report = () => undefined): Promise<string> {
    for (const name of names) {
      const prepared = preparedName(name);
      if (await this.#api.find(`/images/${prepared}/json`)) return prepared;
    }
    const name = names.find((one) => !one.endsWith(':latest')) ?? names[0];
    if (name === undefined)
      throw new Fault(
        'refused',
        'The image has no alias, so the engine has no image for it. Name one in the catalogue.',
      );
    return this.#once(name, () => this.#pullAndPrepare(name, names, report));
  }

  // For work that needs no particular image, such as copying.
  async any(): Promise<string> {
    const images = await this.#api.json<{ RepoTags: string[] | null }[]>('GET', '/images/json', {
      query: { filters: filters({ label: [imageLabel] }) },
    });
    const found = images.flatMap(({ RepoTags }) => RepoTags ?? []).find((tag) => tag.startsWith('cumulet/'));
    return found ?? this.resolve(['debian:latest']);
  }

  // A root file system as a tar archive becomes the prepared image with these names.
  async load(archive: Readable, names: readonly string[], report: Report): Promise<string[]> {
    report({ what: 'import', done: 0, total: 0 });
    const answer = await this.#api.stream('POST', '/images/create', {
      query: { fromSrc: '-', changes: `LABEL ${imageLabel}=1` },
      stream: archive,
      limitMs: 600_000,
    });
    let id: string | undefined;
    for await (const line of jsonLines<{ status?: string; error?: string }>(answer)) {
      if (line.error !== undefined) throw new Fault('refused', plain(line.error));
      if (line.status?.startsWith('sha256:')) id = line.status;
    }
    if (id === undefined) throw new Fault('refused', 'The engine did not import the image.');
    return this.#tag(id, names);
  }

  async #once(name: string, work: () => Promise<string>): Promise<string> {
    const under = this.#under.get(name) ?? work().finally(() => this.#under.delete(name));
    this.#under.set(name, under);
    return under;
  }

  async #pullAndPrepare(name: string, names: readonly string[], report: Report): Promise<string> {
    const [repository, tag] = splitTag(name);
    const base = `${registryNames[repository] ?? repository}:${tag}`;
    if (!(await this.#api.find(`/images/${base}/json`))) await this.#pull(base, report);
    report({ what: 'prepare', done: 0, total: 0 });
    const { Id: id } = await this.#api.json<{ Id: string }>('POST', '/containers/create', {
      body: {
        Image: base,
        User: 'root',
        Entrypoint: shellCommand(prepareScript),
        Cmd: [],
        Labels: { [imageLabel]: 'preparing' },
      },
    });
    try {
      await this.#api.json('POST', `/containers/${id}/start`);
      const { StatusCode } = await this.#api.json<{ StatusCode: number }>('POST', `/containers/${id}/wait`, {
        limitMs: 1_800_000,
      });
      if (StatusCode !== 0)
        throw new Fault('refused', `Image ${base} can't be prepared: the installation of sshd and cloud-init failed.`);
      const { Id } = await this.#api.json<{ Id: string }>('POST', '/commit', {
        query: { container: id },
        body: { Entrypoint: [], Cmd: ['/sbin/init'], Labels: { [imageLabel]: '1' } },
      });
      return (await this.#tag(Id, names))[0] as string;
    } finally {
      await this.#api.settle('DELETE', `/containers/${id}`, { force: true });
    }
  }

  async #pull(base: string, report: Report): Promise<void> {
    const [repository, tag] = splitTag(base);
    const answer = await this.#api.stream('POST', '/images/create', {
      query: { fromImage: repository, tag },
      limitMs: 120_000,
    });
    const layers = new Map<string, { current: number; total: number }>();
    type Line = { id?: string; error?: string; progressDetail?: { current?: number; total?: number } };
    for await (const { id, error, progressDetail } of jsonLines<Line>(answer)) {
      if (error !== undefined) throw new Fault('refused', plain(error));
      if (id === undefined || progressDetail?.total === undefined) continue;
      layers.set(id, { current: progressDetail.current ?? 0, total: progressDetail.total });
      const all = [...layers.values()];
      const sum = (of: 'current' | 'total'): number => all.reduce((value, layer) => value + layer[of], 0);
      report({ what: 'pull', done: sum('current'), total: sum('total') });
    }
  }

  async #tag(id: string, names: readonly string[]): Promise<string[]> {
    const tagged = names.map(preparedName);
    for (const name of tagged) {
      const [repo, tag] = splitTag(name);
      await this.#api.json('POST', `/images/${id}/tag`, { query: { repo, tag } });
    }
    return tagged;
  }
}
