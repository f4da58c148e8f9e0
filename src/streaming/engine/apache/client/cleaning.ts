// Deletes the topics, groups and access control lists of a cluster whose brokers continue to run.
import type { Log } from '../../../../base/log.ts';
import { errorCodes } from '../../../broker/wire/errors.ts';
import { deleteAcls } from '../../../broker/wire/messages/acl.ts';
import { deleteGroups, listGroups } from '../../../broker/wire/messages/group-admin.ts';
import type { Leftovers } from '../../engine.ts';
import type { KafkaClient } from './client.ts';
import { check, deleteTopic } from './topics.ts';

const every = 1; // type, pattern, operation or permission
const everyAcl = {
  resourceTypeFilter: every,
  resourceNameFilter: null,
  patternTypeFilter: every,
  principalFilter: null,
  hostFilter: null,
  operation: every,
  permissionType: every,
};
const goneGroup: readonly number[] = [errorCodes.NONE, errorCodes.GROUP_ID_NOT_FOUND];

export async function leftoversOf(client: KafkaClient): Promise<Leftovers> {
  const { brokers, topics } = await client.metadata();
  let groups = 0;
  for (const broker of brokers) groups += (await client.ask(broker, listGroups, {})).groups.length;
  return { topics: topics.filter(({ isInternal }) => !isInternal).length, groups };
}

// Without the records no one can read anything, so topics are deleted first. Groups whose members are still connected
// can't be deleted, and stay.
export async function emptyBrokers(client: KafkaClient, log: Log): Promise<void> {
  const { topics } = await client.metadata();
  for (const { name, isInternal } of topics) if (!isInternal && name !== null) await deleteTopic(client, name);
  await deleteEveryAcl(client);
  const { brokers } = await client.metadata([]);
  for (const broker of brokers) {
    const groupsNames = (await client.ask(broker, listGroups, {})).groups.map(({ groupId }) => groupId);
    if (groupsNames.length === 0) continue;
    const { results } = await client.ask(broker, deleteGroups, { groupsNames });
    const kept = results.filter(({ errorCode }) => !goneGroup.includes(errorCode)).map(({ groupId }) => groupId);
    if (kept.length > 0) log.warn('groups of a deleted cluster have members and stay', { groups: kept });
  }
}

async function deleteEveryAcl(client: KafkaClient): Promise<void> {
  const { filterResults } = await client.askAny(deleteAcls, { filters: [everyAcl] });
  for (const { errorCode, errorMessage } of filterResults)
    if (errorCode !== errorCodes.SECURITY_DISABLED) check(errorCode, errorMessage, 'access control lists');
}
