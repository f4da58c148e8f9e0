// What is told of a group that is watched: several actions may begin and end between two looks at it, and none of them
// is left out.
import type { Values } from '../../base/json.ts';
import { actionLine, lineOf, type Sample, sampleAfter, sampleOf } from './group-frame.ts';

const mostSamples = 200;

// Where there is no screen to draw on, a line for each change, and for each action whatever was between two looks.
export function linesOf(told: Values, seen: Seen, isJson: boolean): string {
  const isFirst = seen.samples.length === 0;
  const actions = seen.take(told);
  const hasChanged = seen.differs(told);
  if (isJson) return hasChanged ? JSON.stringify(told) : '';
  if (!isFirst && actions.length > 0) return actions.map((action) => actionLine(told, action)).join('\n');
  return hasChanged ? lineOf(told) : '';
}

// What was seen so far.
export class Seen {
  readonly samples: Sample[] = [];
  #statuses = new Map<string, string>(); // of actions, by their ids
  #last = '';

  // The actions that began or ended since the last look, the oldest first.
  take(told: Values): Values[] {
    const all = (told.actions as Values[]).toReversed();
    const fresh = all.filter(({ id, status }) => this.#statuses.get(String(id)) !== status);
    this.#statuses = new Map(all.map(({ id, status }) => [String(id), String(status)]));
    if (this.samples.length > 0) this.samples.push(...fresh.flatMap((action) => sampleAfter(action) ?? []));
    this.samples.push(sampleOf(told));
    this.samples.splice(0, this.samples.length - mostSamples);
    return fresh;
  }

  // Time and metric differ always.
  differs({ now: _, value: __, ...rest }: Values): boolean {
    const key = JSON.stringify(rest);
    const isOther = key !== this.#last;
    this.#last = key;
    return isOther;
  }
}
