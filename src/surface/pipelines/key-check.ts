// Which pipeline a number means, and whether a key is that of it. Checked keys are cached until something of the
// contract changes.
import type { Epoch } from '../../core/recent-cache.ts';
import { failureOf } from '../../core/regional.ts';
import type { Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Owned } from './addresses.ts';
import { hashOf, keyClaim } from './keys.ts';
import { type NumberedPipeline, numberedPipelines, numberIn, pipelineAt } from './numbers.ts';

// How a product's pipelines are stored and found.
export interface PipelineKind<Facts extends PipelineFacts = PipelineFacts> {
  resource: Resource;
  scope: string; // metric: begins the names of its claims
  factsOf(row: Row): Facts;
}

// The facts that the data plane needs for a push or a query.
export interface PipelineFacts extends Owned {
  id: string;
}

// The hidden part of a pipeline's row.
export interface PipelineSecrets {
  number: number;
  sha256: string; // of its key
}

export const secretsOf = <Secrets extends PipelineSecrets>({ hidden }: Pick<Row, 'hidden'>): Secrets =>
  (JSON.parse(hidden) as { pipeline: Secrets }).pipeline;

// `wrong`: no such pipeline, or not a key of it. `other`: the key of another pipeline of the same contract.
export type Checked<Facts> = { pipeline: Facts } | 'wrong' | 'other';

export interface PipelineKeys<Facts> {
  check(number: string, key: string): Promise<Checked<Facts>>;
  pipeline(number: string): Promise<Facts | undefined>;
}

interface Known<Facts> {
  epoch: Epoch; // of the contract, from before it was read
  pipeline: Facts;
  sha256: string;
}

const mostKnown = 10_000;

export function keysOf<Facts extends PipelineFacts>(store: Store, kind: PipelineKind<Facts>): PipelineKeys<Facts> {
  const known = new Map<string, Known<Facts>>();

  const recall = async (number: string): Promise<Known<Facts> | undefined> => {
    const found = known.get(number);
    if (found && found.epoch === (await store.epochOf(found.pipeline.contract))) return found;
    const fresh = await learn(store, kind, number);
    if (known.size >= mostKnown) known.clear();
    if (fresh) known.set(number, fresh);
    else known.delete(number);
    return fresh;
  };

  return {
    async check(number, key) {
      const found = await recall(number);
      if (!found) return 'wrong';
      const sha256 = hashOf(key);
      if (found.sha256 === sha256) return { pipeline: found.pipeline };
      const holder = await store.claimed(keyClaim(kind.scope, sha256));
      return holder?.contract === found.pipeline.contract ? 'other' : 'wrong';
    },
    pipeline: async (number) => (await recall(number))?.pipeline,
  };
}

async function learn<Facts extends PipelineFacts>(
  store: Store,
  kind: PipelineKind<Facts>,
  text: string,
): Promise<Known<Facts> | undefined> {
  const number = numberIn(text);
  const pipeline = number === undefined ? undefined : await pipelineAt(store, kind.scope, number);
  if (!pipeline) return undefined;
  const epoch = await store.epochOf(pipeline.contract);
  const row = await usableRow(store, pipeline);
  return row && { epoch, pipeline: kind.factsOf(row), sha256: secretsOf(row).sha256 };
}

// Pipelines that are being destroyed or have failed accept nothing.
async function usableRow(store: Store, { contract, path }: NumberedPipeline): Promise<Row | undefined> {
  const row = await store.at(contract, path);
  return row && row.state !== 'DELETING' && failureOf(row) === undefined ? row : undefined;
}

// All pipelines of all contracts and regions, by number.
export async function* everyPipeline<Facts extends PipelineFacts>(
  store: Store,
  { scope, factsOf }: PipelineKind<Facts>,
): AsyncGenerator<Facts> {
  for await (const pipeline of numberedPipelines(store, scope)) {
    const row = await usableRow(store, pipeline);
    if (row) yield factsOf(row);
  }
}
