// The authentication of pushes and queries by a pipeline's key, and the replacement of the key. Checked keys are cached
// until something of the contract changes.
import type { Values } from '../base/json.ts';
import { hiddenText } from '../core/operation/operation.ts';
import { releaseWrites, reservationsOf, reserveWrites } from '../core/operation/reservations.ts';
import type { Epoch } from '../core/recent-cache.ts';
import { failureOf } from '../core/regional.ts';
import { pathOf, type Resource } from '../core/resource.ts';
import { changedBy } from '../core/stamps.ts';
import type { Row, Write } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { applyChange, withEntry } from '../surface/change.ts';
import { always, textSchema } from '../surface/docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../surface/http/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';
import { findRegional, missing } from '../surface/regional-dialect/find.ts';
import { hashOf, isKeyClaim, keyClaim, newKey } from './keys.ts';
import { factsOf, type PipelineFacts, pipeline, secretsOf } from './pipeline.ts';
import { type NumberedPipeline, numberedPipelines, numberIn, pipelineAt } from './pipeline-numbers.ts';

// `wrong`: no such pipeline, or not a key of it. `other`: the key of another pipeline of the same contract.
export type Checked = { pipeline: PipelineFacts } | 'wrong' | 'other';

export interface PipelineKeys {
  check(number: string, key: string): Promise<Checked>;
}

interface Known {
  epoch: Epoch; // of the contract, from before it was read
  pipeline: PipelineFacts;
  sha256: string;
}

const mostKnown = 10_000;

export function keysOf(store: Store): PipelineKeys {
  const known = new Map<string, Known>();

  const recall = async (number: string): Promise<Known | undefined> => {
    const found = known.get(number);
    if (found && found.epoch === (await store.epochOf(found.pipeline.contract))) return found;
    const fresh = await learn(store, number);
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
      const holder = await store.claimed(keyClaim(sha256));
      return holder?.contract === found.pipeline.contract ? 'other' : 'wrong';
    },
  };
}

async function learn(store: Store, text: string): Promise<Known | undefined> {
  const number = numberIn(text);
  const standing = number === undefined ? undefined : await pipelineAt(store, number);
  if (!standing) return undefined;
  const epoch = await store.epochOf(standing.contract);
  const row = await standingRow(store, standing);
  return row && { epoch, pipeline: factsOf(row), sha256: secretsOf(row).sha256 };
}

// Pipelines that are being destroyed or have failed accept nothing.
async function standingRow(store: Store, { contract, path }: NumberedPipeline): Promise<Row | undefined> {
  const row = await store.at(contract, path);
  return row && row.state !== 'DELETING' && failureOf(row) === undefined ? row : undefined;
}

export async function pipelineByNumber(store: Store, number: string): Promise<PipelineFacts | undefined> {
  return (await learn(store, number))?.pipeline;
}

// All pipelines of all contracts and regions, by number.
export async function* everyPipeline(store: Store): AsyncGenerator<PipelineFacts> {
  for await (const standing of numberedPipelines(store)) {
    const row = await standingRow(store, standing);
    if (row) yield factsOf(row);
  }
}

export const keyRoute = (machinery: Machinery): Route => ({
  method: 'POST',
  path: `/pipelines/{${pipeline.name}Id}/key`,
  operation: `${pipeline.name}_key_replace`,
  summary: 'Replace the key; the old one stops working at once, and the new one is shown once',
  replySchema: always({ key: textSchema }),
  resolve: (x) => findRegional(machinery, x, [], pipeline as Resource, 'change'),
  call: (x) => rotate(machinery, x),
});

async function rotate({ store, now }: Machinery, x: Exchange): Promise<Reply> {
  const found = x.rows[0] as Row;
  let key = '';
  await applyChange(store, async () => {
    const row = await store.at(found.contract, pathOf(found));
    if (!row || row.state === 'DELETING') throw missing();
    key = newKey();
    const writes = keyWrites(row, hashOf(key), changedBy(row.meta, x.who, now()));
    const targets = [{ kind: pipeline.name, path: pathOf(row), action: `${pipeline.actions}.key` }];
    return withEntry(x, { writes, targets }, now());
  });
  return json(200, { key }, ['Cache-Control', 'no-store']);
}

function keyWrites(row: Row, sha256: string, meta: string): Write[] {
  const held = reservationsOf(row);
  const holds = { ...held, claims: [...held.claims.filter((one) => !isKeyClaim(one)), keyClaim(sha256)] };
  const secrets = { ...secretsOf(row), sha256 };
  const hidden = hiddenText({ ...(JSON.parse(row.hidden) as Values), pipeline: { ...secrets } }, holds);
  return [
    { op: 'update', table: 'resource', row: { ...row, meta, hidden } },
    ...reserveWrites(row, held, holds, () => undefined),
    ...releaseWrites(row, held, holds),
  ];
}
