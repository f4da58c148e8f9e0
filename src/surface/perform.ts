// The way of every change: decided, accepted with its request, its journal and its audit entry in one write set, handed
// to the runner, and answered. Whoever was raced decides again from what is there by then.
import { Fault, type Problem } from '../base/fault.ts';
import { after, type Soon } from '../base/soon.ts';
import { type Less, spare } from '../core/operation/draft.ts';
import { askedTwice } from '../core/operation/duplicate-claims.ts';
import { gather, isRefusal } from '../core/operation/gather.ts';
import { passedLimits } from '../core/operation/limits.ts';
import { type Accepted, accept, parts } from '../core/operation/operation.ts';
import type { Bounds } from '../core/operation/reservations.ts';
import { type Draft, pathOf } from '../core/resource.ts';
import type { Outcome, Row } from '../core/state/engine.ts';
import type { Decision } from '../core/store.ts';
import { patienceFor } from './busy-retry.ts';
import { etagOf, one, type View } from './core-dialect/envelope.ts';
import { depthOf } from './core-dialect/query.ts';
import { tagHeader } from './entity-tag.ts';
import type { Exchange, Reply } from './http/exchange.ts';
import { type Machinery, viewOf } from './machinery.ts';

// Asked for a draft with the id that was chosen for it, if there is one; with `less`, to find what else is wrong.
export type Drafting = (id: string, less?: Less) => Soon<Draft>;

// `draft` is asked again after a race, with the id it had chosen where that is still free: no number is left out.
// `answer` is made in the same breath, where there is one.
export function perform(machinery: Machinery, x: Exchange, sentBody: string, draft: Drafting): Promise<Accepted>;
export function perform<T>(
  machinery: Machinery,
  x: Exchange,
  sentBody: string,
  draft: Drafting,
  answer: (accepted: Accepted) => Soon<T>,
): Promise<T>;
export function perform<T>(
  machinery: Machinery,
  x: Exchange,
  sentBody: string,
  draft: Drafting,
  answer = (accepted: Accepted): Soon<T | Accepted> => accepted,
): Promise<T | Accepted> {
  depthOf(x); // a wrong one is refused before anything is changed
  const bounds = machinery.bounds(x.who.contract);
  return bounds instanceof Promise
    ? bounds.then((known) => new Work(machinery, x, sentBody, draft, known).perform(answer))
    : new Work(machinery, x, sentBody, draft, bounds).perform(answer);
}

// One change until it is written, over all its tries.
class Work {
  #last: Draft | undefined; // while nothing else has its id
  #passed: Fault | undefined; // of its limits
  #id = '';
  #again = false;
  readonly #machinery: Machinery;
  readonly #x: Exchange;
  readonly #sentBody: string;
  readonly #draft: Drafting;
  readonly #bounds: Bounds;

  constructor(machinery: Machinery, x: Exchange, sentBody: string, draft: Drafting, bounds: Bounds) {
    this.#machinery = machinery;
    this.#x = x;
    this.#sentBody = sentBody;
    this.#draft = draft;
    this.#bounds = bounds;
  }

  perform<T>(answer: (accepted: Accepted) => Soon<T>): Promise<T> {
    const { store, runner } = this.#machinery;
    const seen = store.endsOf(this.#x.who.contract);
    return store
      .change(() => this.#choose())
      .then(
        (accepted) => {
          runner.start(accepted);
          return answer(accepted);
        },
        (error: unknown) => this.#failed(error, seen, answer),
      );
  }

  async #failed<T>(error: unknown, seen: number, answer: (accepted: Accepted) => Soon<T>): Promise<T> {
    const { store, model } = this.#machinery;
    const waiting = patienceFor(error, store, this.#x, seen);
    if (waiting) {
      await waiting;
      return this.perform(answer);
    }
    const last = this.#last;
    if (last && error instanceof Fault && error.kind !== 'unavailable') spare(last, model.desk(last.resource));
    // Whatever passes a limit is all decided, and nothing else is wrong with it.
    if (!isRefusal(error) || error === this.#passed) throw error;
    throw await allThatIsWrong(this.#machinery, error, this.#draft, this.#bounds);
  }

  #choose(): Soon<Decision<Accepted>> {
    if (this.#again) return after(this.#x.route?.resolve?.(this.#x), () => this.#decide());
    this.#again = true;
    return this.#decide();
  }

  #decide(): Soon<Decision<Accepted>> {
    const made = drafted(this.#draft, this.#id);
    return made instanceof Promise ? made.then((draft) => this.#accept(draft)) : this.#accept(made);
  }

  #accept(made: Draft): Decision<Accepted> {
    const { model, runner, now } = this.#machinery;
    this.#last = made;
    const value = accept(model, made, this.#x.asked, this.#bounds, now(), this.#sentBody, runner.isInstant);
    if (value.journal) runner.own(value.journal);
    return { writes: value.writes, value, refuse: (outcome) => this.#refuse(made, outcome) };
  }

  #refuse(made: Draft, { why }: Outcome & { ok: false }): Soon<Fault | undefined> {
    this.#id = why !== 'exists' && made.resource.parents.length > 0 ? made.id : '';
    if (why === 'exists') this.#last = undefined;
    if (why !== 'limit') return undefined;
    return after(overLimit(this.#machinery, made, this.#bounds), (fault) => {
      this.#passed = fault;
      return fault;
    });
  }
}

function allThatIsWrong(machinery: Machinery, first: Fault, draft: Drafting, bounds: Bounds): Promise<Fault> {
  const { store, model } = machinery;
  return gather(
    first,
    (less) => draft('', less),
    (made) => {
      spare(made, model.desk(made.resource));
      return passedLimits(store, made, bounds);
    },
  );
}

// What two parts ask for may have been chosen for one of them: then the next choice is another.
function drafted(draft: Drafting, id: string): Soon<Draft> {
  const made = draft(id);
  return made instanceof Promise ? made.then((one) => unlike(one, draft)) : unlike(made, draft);
}

function unlike(made: Draft, draft: Drafting, tries = 3): Soon<Draft> {
  if (made.children.length + made.beside.length === 0) return made;
  const problems = askedTwice(parts(made));
  if (problems.length === 0) return made;
  if (tries > 1) return after(draft(made.id), (next) => unlike(next, draft, tries - 1));
  throw allOf(problems);
}

const allOf = (problems: Problem[]): Fault =>
  new Fault('refused', problems[0]?.message ?? '', { code: problems[0]?.code ?? '100', problems });

// Undefined: somebody has given something back meanwhile.
async function overLimit({ store }: Machinery, made: Draft, bounds: Bounds): Promise<Fault | undefined> {
  const problems = await passedLimits(store, made, bounds);
  return problems.length > 0 ? allOf(problems) : undefined;
}

// Shows one part of what was accepted: that which was asked for, unless another is meant.
export function changeReply(
  machinery: Machinery,
  x: Exchange,
  { drafts, shown, isPending }: Accepted,
  part: Draft = drafts[0] as Draft,
): Soon<Reply> {
  const { resource, way } = part;
  const kept = shown[drafts.indexOf(part)] as Row;
  const version = way === 'create' ? 1 : kept.version + 1;
  const row = { ...kept, version, state: isPending || way === 'remove' ? 'CHANGING' : 'AVAILABLE' };
  const depth = depthOf(x);
  const view = replyView(machinery, x, row, depth);
  const drawn =
    view instanceof Promise ? view.then((seen) => one(seen, resource, row, depth)) : one(view, resource, row, depth);
  return drawn instanceof Promise ? drawn.then((body) => replyOf(x, part, row, body)) : replyOf(x, part, row, drawn);
}

function replyOf(x: Exchange, { resource, way }: Draft, row: Row, body: string): Reply {
  const tag = resource.metadata === 'none' ? [] : tagHeader(x, etagOf(row, pathOf(row)));
  if (resource.synchronous) return { status: way === 'create' ? 201 : 200, body, headers: tag };
  const headers = requestLocation(x);
  headers.push(...tag);
  return { status: resource.replies?.[way] ?? 202, body, headers };
}

export const requestLocation = (x: Exchange): string[] => ['Location', `${x.base}/requests/${x.id}/status`];

// What has just been written is BUSY by itself; whether something else is under way matters for what is shown inside.
function replyView(machinery: Machinery, x: Exchange, row: Row, depth: number): Soon<View> {
  if (depth > 0 || row.state === 'AVAILABLE') return viewOf(machinery, x, pathOf(row));
  const { store, model } = machinery;
  return { store, looks: store, model, base: x.base, contract: row.contract, caller: x.who, busy: always };
}

const always = (): boolean => true;
