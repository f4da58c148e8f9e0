// Users, groups, members, shares and S3 keys, as SDKs see them; and the rights of a member.
import assert from 'node:assert/strict';
import { privileges } from '../../../../src/testing/black-box/privileges.ts';
import type { ResourceBody } from '../../../harness/region.ts';
import { hasRequest, idsOf, isAccepted, isDeleted, isRefused, namesOf, part, shows } from './claims.ts';
import type { Checks, Seen } from './flow.ts';

const flagsOf = (shown: ResourceBody): string[] => privileges.filter((name) => shown.properties[name] === true);

const people: Checks = {
  user_create: {
    title: '[AUTH-09] a user is created, and no answer shows the password',
    verify(seen, journey) {
      isAccepted(seen, 'user', journey);
      const sent = { firstname: 'Ada', lastname: 'Lovelace', email: `${journey.tag}@example.com` };
      shows(seen.after, { ...sent, administrator: false, forceSecAuth: false, secAuthActive: false, active: true });
      assert.ok(seen.after.properties.s3CanonicalUserId);
      assert.equal(seen.after.properties.password ?? null, null);
      assert.deepEqual(seen.after.entities.groups?.items, []);
    },
  },
  user_list: {
    title: '[AUTH-09] users are found by e-mail address',
    verify(seen, { tag }) {
      assert.equal(seen.body.items.length, 1);
      shows(seen.body.items[0] as ResourceBody, { email: `${tag}@example.com` });
    },
  },
  user_put: {
    title: '[AUTH-09] PUT without a password keeps the password',
    verify(seen, journey) {
      isAccepted(seen, 'user', journey);
      shows(seen.after, { firstname: 'Augusta', lastname: 'Lovelace' });
    },
  },
  user_delete: { title: '[AUTH-09] a user is deleted', verify: isDeleted },
};

const groups: Checks = {
  group_create: {
    title: '[AUTH-08] a group has exactly its privileges',
    verify(seen, journey) {
      isAccepted(seen, 'group', journey);
      shows(seen.after, { name: `${journey.tag}-group`, createDataCenter: false });
      assert.deepEqual(flagsOf(seen.after), ['reserveIp', 'accessActivityLog']);
    },
  },
  group_put: {
    title: '[AUTH-08] PUT keeps the privileges that it does not name',
    verify(seen, journey) {
      isAccepted(seen, 'group', journey);
      shows(seen.after, { name: `${journey.tag}-group2` });
      assert.deepEqual(flagsOf(seen.after), ['reserveIp', 'accessActivityLog', 's3Privilege']);
    },
  },
  member_add: {
    title: '[AUTH-09] a member is seen from the group and from the user',
    verify(seen, journey) {
      isAccepted(seen, 'user', journey);
      assert.deepEqual(idsOf(part(seen, 'members')), [seen.user]);
      assert.deepEqual(idsOf(part(seen, 'groups')), [seen.group]);
      assert.deepEqual(idsOf(part(seen, 'person').entities.groups as ResourceBody), [seen.group]);
    },
  },
  member_remove: {
    title: '[AUTH-09] a member is removed',
    verify(seen, journey) {
      assert.equal(seen.status, 202);
      hasRequest(seen, journey);
      assert.deepEqual(part(seen, 'members').items, []);
    },
  },
  group_delete: { title: '[AUTH-09] a group is deleted', verify: isDeleted },
};

const isShare = (seen: Seen, edit: boolean, share: boolean): void => {
  assert.equal(seen.after.id, seen.shared);
  shows(seen.after, { editPrivilege: edit, sharePrivilege: share });
};

const shares: Checks = {
  share_create: {
    title: '[AUTH-09] a datacenter is shared with a group',
    verify(seen, journey) {
      isAccepted(seen, 'resource', journey);
      isShare(seen, false, true);
    },
  },
  share_put: {
    title: '[AUTH-09] the rights of a share are changed',
    verify(seen, journey) {
      isAccepted(seen, 'resource', journey);
      isShare(seen, true, false);
    },
  },
  share_list: {
    title: '[AUTH-09] shares, shared resources and resources of a type are listed',
    verify(seen, { tag }) {
      const { shared } = seen;
      assert.deepEqual(idsOf(part(seen, 'shares')), [shared]);
      assert.deepEqual(idsOf(part(seen, 'resources')), [shared]);
      assert.ok(idsOf(part(seen, 'kind')).includes(String(shared)));
      assert.equal(part(seen, 'one').type, 'datacenter');
      shows(part(seen, 'one'), { name: `${tag}-shared`, secAuthProtection: false });
    },
  },
  share_delete: { title: '[AUTH-09] a share is deleted', verify: isDeleted },
  member_basic: {
    title: '[AUTH-06] [AUTH-08] a member with Basic credentials sees and edits what is shared, and sees nothing else',
    verify(seen, journey) {
      assert.deepEqual(namesOf(part(seen, 'seen')), [`${journey.tag}-shared`]);
      isAccepted(seen, 'datacenter', journey, 'BUSY');
      shows(seen.body, { description: 'by a member' });
    },
  },
  error_forbidden: {
    title: '[GEN-05] [AUTH-08] 403 without the privilege; the message names it',
    verify(seen) {
      isRefused(seen.create as typeof seen.gone, 403, '403', /createDataCenter/);
      isRefused(seen.manage as typeof seen.gone, 403, '403');
    },
  },
};

const keys: Checks = {
  s3key_create: {
    title: '[AUTH-09] a key is created without a body; its id is the access key',
    verify(seen, journey) {
      isAccepted(seen, 's3key', journey);
      assert.match(seen.body.id, /^[A-Z0-9]{20}$/);
      assert.ok(seen.body.properties.secretKey);
      shows(seen.after, { secretKey: seen.body.properties.secretKey, active: true });
      assert.deepEqual(idsOf(part(seen, 'all')), [seen.body.id]);
    },
  },
  s3key_put: {
    title: '[AUTH-09] a key is switched off, and its secret stays',
    verify(seen, journey) {
      isAccepted(seen, 's3key', journey);
      shows(seen.after, { active: false });
      assert.ok(seen.after.properties.secretKey);
    },
  },
  s3key_delete: { title: '[AUTH-09] a key is deleted', verify: isDeleted },
};

export const identityChecks: Checks = { ...people, ...groups, ...shares, ...keys };
