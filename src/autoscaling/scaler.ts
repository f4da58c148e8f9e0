// The scaler starts the operations of queued actions, replaces deleted replicas, evaluates each policy once a minute,
// and keeps the targets of load balancers correct. An action has the id of the request of its operation, so none is
// ever performed twice.
import { Fault } from '../base/fault.ts';
import { uuid } from '../base/ids.ts';
import type { Values } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { actorOf } from '../core/access.ts';
import { isBusy } from '../core/operation/busy.ts';
import { changeOf } from '../core/operation/draft.ts';
import { performChange } from '../core/operation/perform-change.ts';
import { findRequest, requestHidden, type Waiters } from '../core/operation/request.ts';
import type { Epoch } from '../core/recent-cache.ts';
import { type Draft, pathOf } from '../core/resource.ts';
import { changedBy, madeBy } from '../core/stamps.ts';
import { type Row, rowOf, type Write } from '../core/state/engine.ts';
import type { Machinery } from '../surface/machinery.ts';
import { averageOf, rangeOf, wishOf } from './evaluation.ts';
import { type GroupReplica, replicasOf } from './group-replicas.ts';
import { type ActionState, type GroupState, groupState, groupValues, type QueuedAction } from './group-row.ts';
import { atGroup, isNotReady } from './server-body.ts';
import { spreadLoad } from './spread-load.ts';
import { keepTargets } from './targets.ts';
import type { AutoscalingTools } from './tools.ts';

export interface ScalerOptions extends Machinery {
  tools: AutoscalingTools;
  waiters: Waiters;
  log: Log;
  contracts(): Promise<number[]>;
}

export const groupPlace = 'autoscaling/groups';
const minuteMs = 60_000;
const firstRetryMs = 15_000;
const mostRetryMs = 600_000;
const mostWaitMs = 5000; // for an operation, in a pass
const atOnce = 50; // groups
const mostJudged = 100_000;
const keptActions = 100; // of a group

// An operation that was accepted.
interface Started {
  ended: Promise<void>; // with its consequences
}

export class Scaler {
  readonly #options: ScalerOptions;
  readonly #judged = new Map<string, number>(); // by group: the last minute for which its policy was evaluated
  readonly #kept = new Map<string, Epoch>(); // by group: the contract's epoch when its targets were last correct

  constructor(options: ScalerOptions) {
    this.#options = options;
  }

  // One pass over all groups; resolves when the operations that it started have ended, or after `mostWaitMs`.
  async run(): Promise<void> {
    const { store } = this.#options;
    const started: Started[] = [];
    for (const contract of await this.#options.contracts())
      for await (const rows of store.pages({ contract, place: groupPlace }, 'resource', atOnce))
        for (const one of await Promise.all(rows.map((row) => this.#attend(row)))) if (one) started.push(one);
    await Promise.all(started.map(({ ended }) => ended));
  }

  // Starts the queued action of one group. Resolves with the operation's id when it is accepted, if there was one.
  async start(contract: number, id: string): Promise<string | undefined> {
    const row = await this.#options.store.get(contract, groupPlace, id);
    const [next] = row ? (groupState(row).queue ?? []) : [];
    if (row?.state !== 'AVAILABLE' || !next) return undefined;
    return (await this.#carryOut(row, next)) && next.id;
  }

  // The average of its metric over the last whole minutes, as its policy evaluates it.
  async average(group: Row, replicas: readonly GroupReplica[], minute: number): Promise<number | undefined> {
    const { policy } = groupValues(group);
    const rangeMs = rangeOf(policy);
    const servers = this.#options.tools.servers();
    const live = replicas.flatMap(({ server }) => server ?? []);
    const usages = await Promise.all(live.map((server) => servers.usage(server, minute - rangeMs, minute)));
    return averageOf(policy, usages, rangeMs);
  }

  async #attend(row: Row): Promise<Started | undefined> {
    const { store, now, log } = this.#options;
    try {
      if (row.state !== 'AVAILABLE' || (await store.changing(row.contract, pathOf(row)))) return undefined;
      const { queue: [waiting] = [] } = groupState(row);
      if (waiting) return await this.#carryOut(row, waiting);
      const epoch = await store.epochOf(row.contract); // before anything is read that depends on it
      const replicas = await replicasOf(row, this.#options);
      await spreadLoad(this.#options, row, replicas);
      const next = await this.#needed(row, replicas, now());
      if (!next) {
        await this.#keepTargets(row, replicas, epoch);
        return undefined;
      }
      const begun = await this.#queue(row, next);
      return begun && (await this.#carryOut(begun, next));
    } catch (error) {
      log.error('group not attended', { group: row.id, error });
      return undefined;
    }
  }

  // As long as the contract has not changed, the targets are still correct.
  async #keepTargets(row: Row, replicas: readonly GroupReplica[], epoch: Epoch): Promise<void> {
    const path = pathOf(row);
    if (this.#kept.get(path) === epoch) return;
    if (!(await keepTargets(this.#options, row, replicas))) return;
    if (this.#kept.size >= mostJudged) this.#kept.clear(); // of groups that are gone, too
    this.#kept.set(path, epoch);
  }

  // The action that a group needs now.
  async #needed(row: Row, replicas: readonly GroupReplica[], now: number): Promise<QueuedAction | undefined> {
    const values = groupValues(row);
    const { retryAt = 0, quietUntil = 0 } = groupState(row);
    if (now < retryAt) return undefined;
    const { minReplicaCount: least, maxReplicaCount: most } = values;
    const isWhole = replicas.every(({ server }) => server !== undefined);
    if (!isWhole || replicas.length < least || replicas.length > most) {
      if (await this.#isPlaced(row)) return { id: uuid(), type: replicas.length > most ? 'SCALE_IN' : 'SCALE_OUT' };
      return isWhole ? undefined : { id: uuid(), type: 'SCALE_IN' }; // they were deleted with their datacenter
    }
    const minute = Math.floor(now / minuteMs) * minuteMs;
    const path = pathOf(row);
    if (now < quietUntil || (this.#judged.get(path) ?? 0) >= minute) return undefined;
    if (this.#judged.size >= mostJudged) this.#judged.clear(); // of groups that are gone, too
    this.#judged.set(path, minute);
    const value = await this.average(row, replicas, minute);
    const wish = value === undefined ? undefined : wishOf(values, value, replicas.length);
    if (value === undefined || !wish || !(await this.#isPlaced(row))) return undefined;
    return { id: uuid(), type: wish.type, amount: wish.amount, at: now, value };
  }

  // Its datacenter exists and is not being deleted.
  async #isPlaced(group: Row): Promise<boolean> {
    const { id } = groupValues(group).datacenter;
    return (await this.#options.tools.servers().datacenter(group.contract, id)) !== undefined;
  }

  // Writes the action and its place in the queue; undefined: the group has changed in the meantime.
  async #queue(row: Row, next: QueuedAction): Promise<Row | undefined> {
    const { store, now } = this.#options;
    const state = groupState(row);
    const queued = { ...row, hidden: JSON.stringify({ ...state, queue: [...(state.queue ?? []), next] }) };
    const place = `${pathOf(row)}/actions`;
    const actor = actorOf(row);
    const action = rowOf({
      contract: row.contract,
      place,
      id: next.id,
      kind: 'autoscalingaction',
      state: 'AVAILABLE',
      time: now(),
      owner: actor.user,
      meta: madeBy(actor, actor.user),
      body: JSON.stringify({ actionStatus: 'IN_PROGRESS', actionType: next.type }),
    });
    const old = (await store.children(row.contract, place)).slice(0, -keptActions + 1);
    const writes: Write[] = [
      { op: 'update', table: 'resource', row: queued },
      { op: 'insert', table: 'resource', row: action },
      ...old.map((key): Write => ({ op: 'remove', table: 'resource', key, version: key.version })),
    ];
    return (await store.apply(writes)).ok ? { ...queued, version: row.version + 1 } : undefined;
  }

  // Undefined: there was nothing to start, or it can't start now. Resolves when the operation is accepted.
  async #carryOut(row: Row, next: QueuedAction): Promise<Started | undefined> {
    const { waiters } = this.#options;
    const begun = await this.#begin(row, next);
    if (begun === undefined) return undefined;
    const end = async (): Promise<void> => {
      if (begun === 'pending') await waiters.wait(next.id, mostWaitMs);
      await this.#afterwards(row, next);
    };
    const ended = end().catch((error: unknown) => {
      this.#options.log.error('action not concluded', { group: row.id, action: next.id, error });
    });
    return { ended };
  }

  async #afterwards({ contract, place, id }: Row, next: QueuedAction): Promise<void> {
    const row = await this.#options.store.get(contract, place, id);
    if (row?.state !== 'AVAILABLE') return;
    const request = await findRequest(this.#options.store, contract, next.id);
    if (request?.state === 'FAILED') await this.#fail(row, next, requestHidden(request).message);
    else await spreadLoad(this.#options, row, await replicasOf(row, this.#options));
  }

  async #begin(row: Row, next: QueuedAction): Promise<'pending' | 'ended' | undefined> {
    const { store, model, bounds, log } = this.#options;
    const { contract, place, id } = row;
    const known = await findRequest(store, contract, next.id);
    if (known) return known.state === 'BUSY' ? 'pending' : 'ended';
    const actor = actorOf(row);
    const draft = async (): Promise<Draft> => {
      const fresh = await store.get(contract, place, id);
      const isNext = fresh?.state === 'AVAILABLE' && groupState(fresh).queue?.[0]?.id === next.id;
      if (!fresh || !isNext) throw new Fault('conflict', 'Another node runs this action');
      return changeOf(model.get('autoscalinggroup'), actor, [], fresh, 'scale');
    };
    const url = `/autoscaling/groups/${id}/actions/${next.id}`;
    const blank = { method: 'POST', headers: {}, address: '', host: '', service: 'autoscaling' };
    const requestInfo = { ...blank, id: next.id, url, operation: 'autoscalinggroup_scale', caller: actor };
    try {
      const wait = { isAbandoned: () => false };
      const input = { requestInfo, bounds: await bounds(contract), sentBody: '', wait, draft };
      const { journal } = await performChange(this.#options, input);
      return journal ? 'pending' : 'ended';
    } catch (error) {
      // The next pass tries it again.
      if (isBusy(error) || isNotReady(error) || (error instanceof Fault && passing.includes(error.kind)))
        return undefined;
      const fault = atGroup(error);
      if (!(fault instanceof Fault)) log.error('action failed', { group: id, action: next.id, error });
      const message =
        fault instanceof Fault ? fault.problems[0]?.message : 'The action failed because of an internal error';
      await this.#fail(row, next, message ?? '');
      return undefined;
    }
  }

  // Ends a failed action. The group's need is tried again later, with a longer delay after each failure.
  async #fail({ contract, place, id }: Row, next: QueuedAction, message: string): Promise<void> {
    const { store, now } = this.#options;
    await store.change(async () => {
      const row = await store.get(contract, place, id);
      const state = row ? groupState(row) : {};
      const action = row && (await store.get(contract, `${pathOf(row)}/actions`, next.id));
      const queue = (state.queue ?? []).filter((one) => one.id !== next.id);
      if (!row || queue.length === (state.queue ?? []).length) return { writes: [], value: undefined };
      const { failures = 0 } = state;
      const retryAt = now() + Math.min(mostRetryMs, firstRetryMs * 2 ** failures);
      const after: GroupState = { ...state, queue, failures: failures + 1, retryAt };
      const writes: Write[] = [{ op: 'update', table: 'resource', row: { ...row, hidden: JSON.stringify(after) } }];
      if (action) writes.push({ op: 'update', table: 'resource', row: failed(action, row, message, now()) });
      return { writes, value: undefined };
    });
  }
}

const passing = ['conflict', 'unavailable'];

function failed(action: Row, group: Row, message: string, now: number): Row {
  const body = JSON.stringify({ ...(JSON.parse(action.body) as Values), actionStatus: 'FAILED' });
  return {
    ...action,
    body,
    hidden: JSON.stringify({ message } satisfies ActionState),
    meta: changedBy(action.meta, actorOf(group), now),
  };
}
