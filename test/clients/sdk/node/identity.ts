// Users, groups, members, shares and S3 keys; and the rights of a user who is not an administrator.
import { accepted, all, client, connect, filters, idOf, read, refused, report, tag } from './client.ts';
import { createDatacenter } from './infrastructure.ts';

const { management, keys } = client;
const email = `${tag}@example.com`;
const password = 'A-Password-Of-Tests-1';

export async function identity(): Promise<void> {
  const [user, group, made] = await Promise.all([userChecks(), groupChecks(), createDatacenter(`${tag}-shared`)]);
  const shared = idOf(made);
  await Promise.all([memberChecks(group, user).then(() => keyChecks(user)), shareChecks(group, shared)]);
  await memberRights(shared);
  await remove(group, user, shared);
}

async function userChecks(): Promise<string> {
  const person = { lastname: 'Lovelace', email, administrator: false };
  const user = { properties: { ...person, firstname: 'Ada', password } };
  const created = await accepted(management.umUsersPost({ user }));
  const userId = idOf(created);
  const get = () => read(management.umUsersFindById({ userId, depth: 1 }));
  const [after, body] = await Promise.all([
    get(),
    read(management.umUsersGet({ depth: 1, filters: filters({ email }) })),
  ]);
  report('user_create', created, { after });
  report('user_list', { body });
  const put = { properties: { ...person, firstname: 'Augusta', forceSecAuth: false } };
  report('user_put', await accepted(management.umUsersPut({ userId, user: put })), { after: await get() });
  return userId;
}

async function groupChecks(): Promise<string> {
  const properties = { name: `${tag}-group`, reserveIp: true, accessActivityLog: true };
  const created = await accepted(management.umGroupsPost({ group: { properties } }));
  const groupId = idOf(created);
  const get = () => read(management.umGroupsFindById({ groupId }));
  report('group_create', created, { after: await get() });
  const next = { name: `${tag}-group2`, reserveIp: true, s3Privilege: true };
  const changed = await accepted(management.umGroupsPut({ groupId, group: { properties: next } }));
  report('group_put', changed, { after: await get() });
  return groupId;
}

async function memberChecks(group: string, user: string): Promise<void> {
  const added = await accepted(management.umGroupsUsersPost({ groupId: group, user: { id: user } }));
  const seen = await all({
    members: read(management.umGroupsUsersGet({ groupId: group, depth: 1 })),
    groups: read(management.umUsersGroupsGet({ userId: user, depth: 1 })),
    person: read(management.umUsersFindById({ userId: user, depth: 1 })),
  });
  report('member_add', added, { user, group }, seen);
}

async function shareChecks(groupId: string, shared: string): Promise<void> {
  const where = { groupId, resourceId: shared };
  const share = (editPrivilege: boolean, sharePrivilege: boolean) => ({
    ...where,
    resource: { properties: { editPrivilege, sharePrivilege } },
  });
  const get = () => read(management.umGroupsSharesFindByResourceId(where));
  const created = await accepted(management.umGroupsSharesPost(share(false, true)));
  report('share_create', created, { after: await get(), shared });
  const changed = await accepted(management.umGroupsSharesPut(share(true, false)));
  report('share_put', changed, { after: await get(), shared });
  const lists = await all({
    shares: read(management.umGroupsSharesGet({ groupId, depth: 1 })),
    resources: read(management.umGroupsResourcesGet({ groupId, depth: 1 })),
    kind: read(management.umResourcesFindByType({ resourceType: 'datacenter', depth: 1 })),
    one: read(management.umResourcesFindByTypeAndId({ resourceType: 'datacenter', resourceId: shared })),
  });
  report('share_list', { shared }, lists);
}

async function memberRights(datacenterId: string): Promise<void> {
  const theirs = connect({ username: email, password });
  const seen = await read(theirs.datacenters.datacentersGet({ depth: 1 }));
  const datacenter = { description: 'by a member' };
  const changed = await accepted(theirs.datacenters.datacentersPatch({ datacenterId, datacenter }), theirs);
  report('member_basic', changed, { seen });
  const properties = { name: `${tag}-forbidden`, location: 'de/txl' };
  const refusals = await all({
    create: refused(theirs.datacenters.datacentersPost({ datacenter: { properties } })),
    manage: refused(theirs.management.umGroupsPost({ group: { properties: { name: 'mine' } } })),
  });
  report('error_forbidden', refusals);
}

async function keyChecks(userId: string): Promise<void> {
  const created = await accepted(keys.umUsersS3keysPost({ userId }));
  const keyId = idOf(created);
  const get = () => read(keys.umUsersS3keysFindByKeyId({ userId, keyId }));
  report('s3key_create', created, await all({ after: get(), all: read(keys.umUsersS3keysGet({ userId, depth: 1 })) }));
  const off = { properties: { active: false } };
  const changed = await accepted(keys.umUsersS3keysPut({ userId, keyId, s3Key: off }));
  report('s3key_put', changed, { after: await get() });
  const ended = await accepted(keys.umUsersS3keysDelete({ userId, keyId }));
  report('s3key_delete', ended, { gone: await refused(keys.umUsersS3keysFindByKeyId({ userId, keyId })) });
}

async function remove(groupId: string, userId: string, resourceId: string): Promise<void> {
  const share = { groupId, resourceId };
  const [shareEnded, memberEnded] = await Promise.all([
    accepted(management.umGroupsSharesDelete(share)),
    accepted(management.umGroupsUsersDelete({ groupId, userId })),
  ]);
  const [gone, members] = await Promise.all([
    refused(management.umGroupsSharesFindByResourceId(share)),
    read(management.umGroupsUsersGet({ groupId })),
  ]);
  report('share_delete', shareEnded, { gone });
  report('member_remove', memberEnded, { members });
  const [groupEnded, userEnded] = await Promise.all([
    accepted(management.umGroupsDelete({ groupId })),
    accepted(management.umUsersDelete({ userId })),
  ]);
  const [groupGone, userGone] = await Promise.all([
    refused(management.umGroupsFindById({ groupId })),
    refused(management.umUsersFindById({ userId })),
  ]);
  report('group_delete', groupEnded, { gone: groupGone });
  report('user_delete', userEnded, { gone: userGone });
}
