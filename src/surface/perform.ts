// The way of every change: decided, accepted with its request, its journal and its audit entry in one write set, handed
// to the runner, and answered. Whoever was raced decides again from what is there by then.
import type { Fault } from '../base/fault.ts';
import { after, type Soon } from '../base/soon.ts';
import { type Accepted, accept, refusal } from '../core/operation.ts';
import { type Draft, pathOf } from '../core/resource.ts';
import type { Outcome, Row } from '../core/state/engine.ts';
import type { Decision } from '../core/store.ts';
import { entityTag } from './entity-tag.ts';
import { one, type View } from './envelope.ts';
import { type Exchange, json, type Reply } from './exchange.ts';
import { type Machinery, viewOf } from './machinery.ts';
import { depthOf } from './query.ts';

// `draft` is asked again after a race, with the id it had chosen where that is still free: no number is left out.
export async function perform(
  machinery: Machinery,
  x: Exchange,
  sentBody: string,
  draft: (id: string) => Soon<Draft>,
): Promise<Accepted> {
  const { store, model, runner, now } = machinery;
  depthOf(x); // a wrong one is refused before anything is changed
  const limits = machinery.bounds(x.who.contract);
  const bounds = limits instanceof Promise ? await limits : limits;
  let id = '';
  const decision = (): Soon<Decision<Accepted>> =>
    after(draft(id), (made) => {
      const result = accept(model, made, x.asked, bounds, now(), sentBody, (changes) => runner.isInstant(changes));
      if (result.journal) runner.own(result.journal);
      const refuse = (outcome: Outcome & { ok: false }): Fault | undefined => {
        id = outcome.why !== 'exists' && made.resource.parents.length > 0 ? made.id : '';
        return refusal(result, bounds, outcome);
      };
      return { writes: result.writes, value: result, refuse };
    });
  let again = false;
  const accepted = await store.change(() => {
    if (again) return after(x.route?.resolve?.(x), decision);
    again = true;
    return decision();
  });
  if (accepted.journal) runner.start(accepted.journal);
  return accepted;
}

// Shows one part of what was accepted: that which was asked for, unless another is meant.
export function changeReply(
  machinery: Machinery,
  x: Exchange,
  { drafts, shown, journal, wasInstant }: Accepted,
  part: Draft = drafts[0] as Draft,
): Soon<Reply> {
  const { resource, way } = part;
  const kept = shown[drafts.indexOf(part)] as Row;
  const version = way === 'create' ? 1 : kept.version + 1;
  const row = { ...kept, version, state: journal || wasInstant || way === 'remove' ? 'CHANGING' : 'AVAILABLE' };
  const depth = depthOf(x);
  return after(replyView(machinery, x, row, depth), (view) =>
    after(one(view, resource, row, depth), (content) => {
      const tag = entityTag(x, content);
      if (resource.synchronous) return json(way === 'create' ? 201 : 200, content, tag);
      return json(resource.replies?.[way] ?? 202, content, [...requestLocation(x), ...tag]);
    }),
  );
}

export const requestLocation = (x: Exchange): string[] => ['Location', `${x.base}/requests/${x.id}/status`];

// What has just been written is BUSY by itself; whether something else is under way matters for what is shown inside.
function replyView(machinery: Machinery, x: Exchange, row: Row, depth: number): Soon<View> {
  if (depth > 0 || row.state === 'AVAILABLE') return viewOf(machinery, x, pathOf(row));
  const { store, model } = machinery;
  const view = { store, looks: store, model, base: x.base, caller: x.who };
  return { ...view, contract: row.contract, busy: () => true };
}
