// Several nodes of one region: real processes on one schema of PostgreSQL, each with its own data folder and all with
// one key file. They ignore CUMULET_STATE, because several nodes need PostgreSQL.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshUrl } from '../../src/testing/postgres.ts';
import { cumulet } from './process.ts';
import { Region } from './region.ts';
import { shareState } from './states.ts';

export class Nodes {
  readonly root = mkdtempSync(join(tmpdir(), 'cumulet-nodes-'));
  readonly all: Region[] = [];
  readonly url: string;
  readonly #args: string[];
  readonly #env: Record<string, string>;

  constructor(url: string, args: string[], env: Record<string, string> = {}) {
    this.url = url;
    this.#args = args;
    this.#env = env;
  }

  get key(): string {
    return join(this.root, 'region.key');
  }

  // Another one, which is yet to be started.
  make(more: readonly string[] = [], url = this.url): Region {
    const data = join(this.root, `node-${this.all.length + 1}`);
    mkdirSync(data);
    shareState(data, this.url);
    const args = ['--state', url, '--key', this.key, ...this.#args, ...more];
    const region = new Region({ data, args, env: this.#env });
    this.all.push(region);
    return region;
  }

  // The first start prints the owner, which is passed to the others, and all use one token. `url`: the address of the
  // state for this node, if it differs.
  async add(more: readonly string[] = [], url = this.url): Promise<Region> {
    const [first] = this.all;
    const region = this.make(more, url);
    if (first) {
      copyFileSync(join(first.data, 'owner.json'), join(region.data, 'owner.json'));
      region.token = first.token;
    }
    await region.start();
    return region;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map((region) => region.halt('SIGKILL')));
    rmSync(this.root, { recursive: true, force: true });
  }
}

export async function startNodes(
  count: number,
  args: string[] = [],
  url?: string,
  env?: Record<string, string>,
): Promise<Nodes> {
  const nodes = new Nodes(url ?? (await freshUrl()), args, env);
  try {
    for (let started = 0; started < count; started++) await nodes.add();
    return nodes;
  } catch (error) {
    await nodes[Symbol.asyncDispose]();
    throw error;
  }
}

export interface NodeView {
  id: string;
  self: boolean;
  lagMs: number;
  operations: number;
}

export async function nodesSeenBy({ data }: Region): Promise<NodeView[]> {
  const { code, stdout, stderr } = await cumulet(['status', '--json', '--data', data]);
  assert.equal(code, 0, stderr);
  return (JSON.parse(stdout) as { nodes: NodeView[] }).nodes;
}

// The message of a start that is refused.
export async function refusedLine(args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cumulet(['up', '--json', '--port', '0', ...args]);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /^cumulet: [^\n]+\n$/);
  assert.equal(stdout, '');
  return stderr.trim();
}
