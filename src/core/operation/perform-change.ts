// The steps of every change: draft, decide, check for duplicate claims, accept, apply. A change that lost a race is
// drafted and decided again from the current rows. A change of a busy resource waits for a while and tries again.
import { Fault, type Problem } from '../../base/fault.ts';
import type { Model } from '../model.ts';
import type { Draft } from '../resource.ts';
import type { Outcome } from '../state/engine.ts';
import type { Decision, Store } from '../store.ts';
import { type BusyWait, retryWhileBusy } from './busy-retry.ts';
import { decide, releaseId } from './draft.ts';
import { duplicateClaims } from './duplicate-claims.ts';
import { passedLimits } from './limits.ts';
import { type Accepted, accept, parts } from './operation.ts';
import type { RequestInfo } from './request.ts';
import type { Bounds } from './reservations.ts';
import type { Runner } from './runner.ts';

export interface ChangeTools {
  store: Store;
  model: Model;
  runner: Runner;
  now: () => number;
}

export interface ChangeInput {
  requestInfo: RequestInfo;
  bounds: Bounds; // the contract's limits
  sentBody: string; // as it may be kept
  wait: BusyWait;
  resolve?(): Promise<void> | void; // finds the rows that the draft is made from again
  draft(): Promise<Draft> | Draft;
  decide?(draft: Draft): Promise<void> | void; // instead of the resource's own decision
}

export async function performChange(tools: ChangeTools, input: ChangeInput): Promise<Accepted> {
  const { store, model, runner, now } = tools;
  const { requestInfo, bounds, sentBody } = input;
  let last: Draft | undefined; // of the last try, while its id is free
  let id = ''; // chosen by an earlier try, so that no number is skipped
  let isFirst = true;
  const attempt = async (): Promise<Decision<Accepted>> => {
    if (!isFirst) await input.resolve?.();
    isFirst = false;
    const draft = await decided(model, input, id);
    last = draft;
    const accepted = accept(model, draft, requestInfo, bounds, now(), sentBody, runner.isInstant);
    if (accepted.journal) runner.own(accepted.journal);
    const refuse = ({ why }: Outcome & { ok: false }): Promise<Fault | undefined> | undefined => {
      id = why !== 'exists' && draft.resource.parents.length > 0 ? draft.id : '';
      if (why === 'exists') last = undefined;
      return why === 'limit' ? overLimit(store, draft, bounds) : undefined;
    };
    return { writes: accepted.writes, value: accepted, refuse };
  };
  try {
    const accepted = await retryWhileBusy(store, requestInfo.caller.contract, input.wait, () => store.change(attempt));
    runner.start(accepted);
    return accepted;
  } catch (error) {
    if (last && error instanceof Fault && error.kind !== 'unavailable') releaseId(last, model.context(last.resource));
    throw error;
  }
}

const mostChoices = 3;

// Two parts of one request may have been given the same address by chance: then another choice is made.
async function decided(model: Model, input: ChangeInput, id: string): Promise<Draft> {
  for (let choices = 1; ; choices++) {
    const draft = await input.draft();
    if (id !== '' && draft.way === 'create') draft.id = id;
    if (input.decide) await input.decide(draft);
    else await decide(model, draft);
    const problems = duplicateClaims(parts(draft));
    if (problems.length === 0) return draft;
    if (choices === mostChoices) throw refusedFor(problems);
    id = draft.id;
  }
}

// Undefined: another operation has released enough in the meantime.
async function overLimit(store: Store, draft: Draft, bounds: Bounds): Promise<Fault | undefined> {
  const problems = await passedLimits(store, draft, bounds);
  return problems.length > 0 ? refusedFor(problems) : undefined;
}

const refusedFor = (problems: Problem[]): Fault =>
  new Fault('refused', problems[0]?.message ?? '', { code: problems[0]?.code ?? '100', problems });
