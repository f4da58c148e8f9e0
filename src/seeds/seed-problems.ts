// Errors of seeds, each with the place of the value.
import { Fault, type Problem } from '../base/fault.ts';
import type { SeedItem } from './plan/seed-plan.ts';
import type { Path } from './plan/seed-source.ts';
import { messagesOf, type SeedAnswer } from './seed-client.ts';

export const problem = ({ source, path }: Pick<SeedItem, 'source' | 'path'>, below: Path, message: string): Fault =>
  new Fault('refused', `${source.placeOf([...path, ...below])}: ${message}`);

// The API's errors for a body, each at its line.
export function refusal(item: SeedItem, { body }: SeedAnswer): Fault {
  const problems = messagesOf(body).map((message) => placed(item, message));
  return new Fault('refused', problems[0]?.message ?? '', { problems });
}

// `[(root).properties.logs.[0].tag] …` is about a value of the item.
export function placed({ source, path }: SeedItem, message: string): Problem {
  const [start = '', way = ''] = /^\[(?:\(root\)\.)?properties\.([^\s]+?)\] /.exec(message) ?? [];
  const below = way
    .split('.')
    .filter((one) => one !== '')
    .map((one) => (/^\[?\d+\]?$/.test(one) ? Number(one.replace(/\D/g, '')) : one));
  const named = way === '' ? message : `${way}: ${message.slice(start.length)}`;
  return { message: `${source.placeOf([...path, ...below])}: ${named}` };
}
