// Creates snapshots without content. The API copies volumes only, so each one is the copy of a blank volume in its own
// datacenter, which is deleted at once.
import type { Values } from '../base/json.ts';
import { messagesOf, type SeedAnswer, type SeedClient } from './seed-client.ts';

const datacenters = '/cloudapi/v6/datacenters';

interface Tools {
  client: SeedClient;
  removeLater(what: string, path: string): Promise<void>; // if the seed fails
  fail(reason: string): Error;
}

export async function createBlankSnapshot(
  { properties, ...body }: Values,
  { client, removeLater, fail }: Tools,
): Promise<SeedAnswer> {
  const { location = null, size = null, ...values } = properties as Values;
  const created = async (path: string, wanted: Values): Promise<string> => {
    const answer = await client.call('POST', path, { properties: wanted });
    const own = `${path}/${answer.body.id}`;
    if (answer.status < 300) await removeLater(`the source of the snapshot ${values.name}`, own);
    const reason = answer.status < 300 ? await client.untilDone(answer) : messagesOf(answer.body).join(' ');
    if (reason !== undefined) throw fail(reason);
    return own;
  };
  const datacenter = await created(datacenters, { name: `source of ${values.name}`, location });
  const disk = { name: 'blank', type: 'HDD', size, licenceType: values.licenceType ?? 'OTHER' };
  const volume = await created(`${datacenter}/volumes`, disk);
  const made = await client.call('POST', `${volume}/create-snapshot`, { ...body, properties: values });
  if (made.status < 300) {
    await removeLater(`snapshot ${values.name}`, `/cloudapi/v6/snapshots/${made.body.id}`);
    await client.untilDone(made);
  }
  const left = await client.remove(datacenter); // a later undo tries it again
  if (made.status < 300 && left !== undefined) throw fail(left);
  return made;
}
