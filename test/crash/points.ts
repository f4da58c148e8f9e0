// Every point of the declared operations at which the lab can break them, as the declarations tell them.
import type { Resource } from '../../src/testing/black-box/declarations.ts';
import { all, declared } from '../harness/samples.ts';
import { scenarioOf } from './scenarios.ts';

export type Mode = 'crash' | 'fail' | 'stall';

export interface Point {
  kind: string;
  word: string; // create, change, remove, or an act
  variant: string; // which kind of it; '' is the usual one
  faults: Fault[];
  touches: string[]; // `kind word` of all that its operation does
  says: string;
  ends: 'DONE' | 'FAILED';
}

// As the lab takes it.
export interface Fault {
  kind: string;
  step: string;
  mode: string;
  when: string;
  message: string;
}

export interface Operation {
  resource: Resource;
  word: string;
  steps: string[];
}

const ways = ['create', 'change', 'remove'] as const;
export const isWay = (word: string): word is (typeof ways)[number] => (ways as readonly string[]).includes(word);

const stepsOf = (resource: Resource, word: string): string[] =>
  (isWay(word) ? resource.lifecycle[word] : (resource.lifecycle.acts[word]?.steps ?? [])).map(({ name }) => name);

// Operations that end at once have no point to break them at: their one write set is whole or not there.
export const operations = (): Operation[] =>
  all.flatMap((resource) =>
    [...ways, ...Object.keys(resource.lifecycle.acts)]
      .map((word) => ({ resource, word, steps: stepsOf(resource, word) }))
      .filter(({ word, steps }) => steps.length > 0 || (word === 'remove' && holdsOthers(resource)))
      .filter(({ word }) => `${resource.name} ${word}` !== scaling),
  );

// No call asks for it: a change of a group queues it. autoscaling.test.ts breaks it.
const scaling = 'autoscalinggroup scale';

const holdsOthers = (resource: Resource): boolean =>
  resource.verbs.includes('remove') && all.some(({ parents }) => parents.includes(resource));

export const failure = 'The sample was broken on purpose';

export function pointsOf(mode: Mode): Point[] {
  return operations().flatMap(({ resource: { name: kind }, word, steps }) => {
    const { parts = {}, stands = {}, touches: more = [] } = scenarioOf(kind);
    const touches = [`${kind} ${word}`, ...(parts[word] ?? [])];
    const own = ownPoints(mode, kind, word, steps);
    const found = [...own, ...(parts[word] ?? []).flatMap((part) => partPoints(mode, part))];
    const usual = found.map((point): Point => ({ kind, word, variant: '', touches, ...point }));
    if (word !== 'create' && word !== 'remove') return usual;
    const wide = [...touches, ...more];
    const others = Object.keys(stands).flatMap((variant) => own.map((point) => ({ variant, ...point })));
    return [...usual, ...others.map((point): Point => ({ kind, word, touches: wide, ...point }))];
  });
}

type Found = Pick<Point, 'faults' | 'says' | 'ends'>;

const fault = (kind: string, word: string, step: string, mode: string, when = 'before'): Fault => ({
  kind,
  step: `${word}.${step}`,
  mode,
  when,
  message: failure,
});

// A step that breaks before it is undone again ends FAILED; a broken commit, abort or undo is taken up again, and the
// operation ends as it would have.
function ownPoints(mode: Mode, kind: string, word: string, steps: string[]): Found[] {
  const broken = mode === 'fail' ? 'FAILED' : 'DONE';
  const forward = steps.flatMap((step): Found[] => [
    { says: `before ${step}`, ends: broken, faults: [fault(kind, word, step, mode)] },
    { says: `after ${step}`, ends: broken, faults: [fault(kind, word, step, mode, 'after')] },
  ]);
  const commit: Found = { says: 'at commit', ends: 'DONE', faults: [fault(kind, word, 'commit', mode)] };
  const last = steps.at(-1);
  if (last === undefined) return [commit];
  const first = fault(kind, word, last, 'fail', 'after');
  const undone = steps.map((step): Found => {
    return { says: `at undo of ${step}`, ends: 'FAILED', faults: [first, fault(kind, word, `${step}.undo`, mode)] };
  });
  const abort: Found = { says: 'at abort', ends: 'FAILED', faults: [first, fault(kind, word, 'abort', mode)] };
  return [...forward, commit, ...undone, abort];
}

// Of a side effect of the operation.
function partPoints(mode: Mode, part: string): Found[] {
  const [kind = '', word = ''] = part.split(' ');
  const broken = mode === 'fail' ? 'FAILED' : 'DONE';
  return stepsOf(declared(kind), word).flatMap((step): Found[] => {
    const first = fault(kind, word, step, 'fail', 'after');
    return [
      { says: `before ${part} ${step}`, ends: broken, faults: [fault(kind, word, step, mode)] },
      { says: `after ${part} ${step}`, ends: broken, faults: [fault(kind, word, step, mode, 'after')] },
      {
        says: `at undo of ${part} ${step}`,
        ends: 'FAILED',
        faults: [first, fault(kind, word, `${step}.undo`, mode)],
      },
    ];
  });
}

// One comes by a fault that is meant for the other.
export const touch = (one: Point, other: Point): boolean => isHitBy(one, other) || isHitBy(other, one);
const isHitBy = ({ touches }: Point, { faults }: Point): boolean =>
  faults.some(({ kind, step }) => touches.includes(`${kind} ${step.split('.')[0]}`));
