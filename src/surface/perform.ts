// The way of every change: decided, accepted with its request, its journal and its audit entry in one write set, handed
// to the runner, and answered. Whoever was raced decides again from what is there by then.
import { Fault, type Problem } from '../base/fault.ts';
import { after, type Soon } from '../base/soon.ts';
import { type Less, spare } from '../core/draft.ts';
import { gather, isRefusal } from '../core/gather.ts';
import type { Bounds } from '../core/holds.ts';
import { passedLimits } from '../core/limits.ts';
import { type Accepted, accept, parts } from '../core/operation.ts';
import { type Draft, pathOf } from '../core/resource.ts';
import type { Outcome, Row } from '../core/state/engine.ts';
import type { Decision } from '../core/store.ts';
import { askedTwice } from '../core/twice.ts';
import { entityTag } from './entity-tag.ts';
import { one, type View } from './envelope.ts';
import type { Exchange, Reply } from './exchange.ts';
import { type Machinery, viewOf } from './machinery.ts';
import { patiently } from './patience.ts';
import { depthOf } from './query.ts';

// Asked for a draft with the id that was chosen for it, if there is one; with `less`, to find what else is wrong.
export type Drafting = (id: string, less?: Less) => Soon<Draft>;

// `draft` is asked again after a race, with the id it had chosen where that is still free: no number is left out.
export async function perform(machinery: Machinery, x: Exchange, sentBody: string, draft: Drafting): Promise<Accepted> {
  const { store, model, runner, now } = machinery;
  depthOf(x); // a wrong one is refused before anything is changed
  const limits = machinery.bounds(x.who.contract);
  const bounds = limits instanceof Promise ? await limits : limits;
  let id = '';
  let last: Draft | undefined; // while nothing else has its id
  let passed: Fault | undefined;
  const decision = (): Soon<Decision<Accepted>> =>
    after(drafted(draft, id), (made) => {
      last = made;
      const result = accept(model, made, x.asked, bounds, now(), sentBody, (changes) => runner.isInstant(changes));
      if (result.journal) runner.own(result.journal);
      const refuse = (outcome: Outcome & { ok: false }): Soon<Fault | undefined> => {
        id = outcome.why !== 'exists' && made.resource.parents.length > 0 ? made.id : '';
        if (outcome.why === 'exists') last = undefined;
        if (outcome.why !== 'limit') return undefined;
        return after(overLimit(machinery, made, bounds), (fault) => {
          passed = fault;
          return fault;
        });
      };
      return { writes: result.writes, value: result, refuse };
    });
  let again = false;
  const attempt = (): Promise<Accepted> =>
    store.change(() => {
      if (again) return after(x.route?.resolve?.(x), decision);
      again = true;
      return decision();
    });
  try {
    const accepted = await patiently(store, x, attempt);
    if (accepted.journal) runner.start(accepted.journal);
    return accepted;
  } catch (error) {
    if (last && error instanceof Fault && error.kind !== 'unavailable') spare(last, model.desk(last.resource));
    // Whatever passes a limit is all decided, and nothing else is wrong with it.
    throw isRefusal(error) && error !== passed ? await allThatIsWrong(machinery, error, draft, bounds) : error;
  }
}

function allThatIsWrong(machinery: Machinery, first: Fault, draft: Drafting, bounds: Bounds): Promise<Fault> {
  const { store, model, counted } = machinery;
  return gather(
    first,
    (less) => draft('', less),
    (made) => {
      spare(made, model.desk(made.resource));
      return passedLimits(store, made, bounds, counted);
    },
  );
}

// What two parts ask for may have been chosen for one of them: then the next choice is another.
function drafted(draft: Drafting, id: string, tries = 3): Soon<Draft> {
  return after(draft(id), (made) => {
    if (made.children.length + made.beside.length === 0) return made;
    const problems = askedTwice(parts(made));
    if (problems.length === 0) return made;
    if (tries > 1) return drafted(draft, made.id, tries - 1);
    throw allOf(problems);
  });
}

const allOf = (problems: Problem[]): Fault =>
  new Fault('refused', problems[0]?.message ?? '', { code: problems[0]?.code ?? '100', problems });

// Undefined: somebody has given something back meanwhile.
async function overLimit({ store, counted }: Machinery, made: Draft, bounds: Bounds): Promise<Fault | undefined> {
  const problems = await passedLimits(store, made, bounds, counted);
  return problems.length > 0 ? allOf(problems) : undefined;
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
    after(one(view, resource, row, depth), (body): Reply => {
      if (resource.synchronous) return { status: way === 'create' ? 201 : 200, body, headers: entityTag(x, body) };
      const headers = requestLocation(x);
      headers.push(...entityTag(x, body));
      return { status: resource.replies?.[way] ?? 202, body, headers };
    }),
  );
}

export const requestLocation = (x: Exchange): string[] => ['Location', `${x.base}/requests/${x.id}/status`];

// What has just been written is BUSY by itself; whether something else is under way matters for what is shown inside.
function replyView(machinery: Machinery, x: Exchange, row: Row, depth: number): Soon<View> {
  if (depth > 0 || row.state === 'AVAILABLE') return viewOf(machinery, x, pathOf(row));
  const { store, model } = machinery;
  return { store, looks: store, model, base: x.base, contract: row.contract, caller: x.who, busy: always };
}

const always = (): boolean => true;
