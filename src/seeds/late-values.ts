// Values of an item that name resources which need it: they are set when all items exist.
import { isObject, type Values } from '../base/json.ts';
import type { Properties } from '../core/schema.ts';
import type { SeedItem } from './plan/seed-plan.ts';
import { messagesOf, type SeedClient } from './seed-client.ts';
import type { Undo } from './undo.ts';

const partOf = (values: Values, properties: Properties, isLate: boolean): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => (properties[name]?.late === true) === isLate));

export const earlyValues = ({ properties, section }: SeedItem): Values =>
  partOf(properties, section.resource.properties, false);

// Without early values of the original, which are set at the creation.
export function lateValues({ properties, original, section }: SeedItem, keepsIds: boolean): Values {
  const kept = keepsIds && isObject(original.was) ? original.was : {};
  return partOf({ ...kept, ...properties }, section.resource.properties, true);
}

// Returns the reason if the region refuses them. Some resources can't be deleted while others name them.
export async function setLateValues(
  { section }: SeedItem,
  path: string,
  values: Values,
  { client, undo }: { client: SeedClient; undo: Undo | undefined },
): Promise<string | undefined> {
  const send = async (body: Values): Promise<string | undefined> => {
    const answer = await client.call('PATCH', path, body);
    return answer.status < 300 ? client.untilDone(answer) : messagesOf(answer.body).join(' ');
  };
  const reason = await send(values);
  const empty = Object.keys(values).map((name) => [name, section.resource.properties[name]?.default ?? null]);
  if (reason === undefined) undo?.add(path, () => send(Object.fromEntries(empty)));
  return reason;
}
