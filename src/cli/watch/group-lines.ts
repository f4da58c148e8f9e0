// The lines for a watched group: several actions may begin and end between two polls, and each of them is shown.
import type { Values } from '../../base/json.ts';
import { actionLine, lineOf, type Sample, sampleAfter, sampleOf } from './group-frame.ts';

const mostSamples = 200;

// Without a screen: one line for each change, and one for each action between two polls.
export function linesOf(group: Values, seen: Seen, isJson: boolean): string {
  const isFirst = seen.samples.length === 0;
  const actions = seen.take(group);
  const hasChanged = seen.differs(group);
  if (isJson) return hasChanged ? JSON.stringify(group) : '';
  if (!isFirst && actions.length > 0) return actions.map((action) => actionLine(group, action)).join('\n');
  return hasChanged ? lineOf(group) : '';
}

// The samples and actions so far.
export class Seen {
  readonly samples: Sample[] = [];
  #statuses = new Map<string, string>(); // of actions, by their ids
  #last = '';

  // The actions that began or ended since the last poll, oldest first.
  take(group: Values): Values[] {
    const all = (group.actions as Values[]).toReversed();
    const fresh = all.filter(({ id, status }) => this.#statuses.get(String(id)) !== status);
    this.#statuses = new Map(all.map(({ id, status }) => [String(id), String(status)]));
    if (this.samples.length > 0) this.samples.push(...fresh.flatMap((action) => sampleAfter(action) ?? []));
    this.samples.push(sampleOf(group));
    this.samples.splice(0, this.samples.length - mostSamples);
    return fresh;
  }

  // Time and metric always differ.
  differs({ now: _, value: __, ...rest }: Values): boolean {
    const key = JSON.stringify(rest);
    const isOther = key !== this.#last;
    this.#last = key;
    return isOther;
  }
}
