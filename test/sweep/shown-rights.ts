// Compares the rights that the console shows with those that the region applies, for all actions of all resources.
import assert from 'node:assert/strict';
import type { OperationModel, ResourceModel } from '../../console/resources/model.ts';
import { privileges } from '../../src/testing/black-box/privileges.ts';
import { done } from '../harness/landscape.ts';
import { addGroup, addPerson, core } from '../harness/people.ts';
import type { Region } from '../harness/region.ts';
import { head, wire } from '../harness/wire.ts';
import { fill } from './api.ts';
import type { World } from './world.ts';

interface Action {
  operation: string;
  method: string;
  path: string;
}

// All operations that pages offer as actions. Without an id in the path, it is one of an unknown resource.
export async function actionsIn(region: Region, { ids }: World): Promise<Action[]> {
  const { body } = await region.call<{ resources: ResourceModel[] }>('GET', '/console/model');
  const offered = (model: ResourceModel): (OperationModel | undefined)[] => [
    ...[model.create, model.change, model.remove],
    ...model.ofAll,
    ...model.ofOne,
  ];
  const actions = body.resources.flatMap((model) =>
    offered(model).flatMap((one) => {
      if (!one) return [];
      const operation = `${one.operation} ${model.collection}`;
      const path = fill({ path: model.prefix + one.path }, ids);
      const paths = model.isRegional ? [path, `/de-fra${path}`] : [path]; // pages of a region name it
      return paths.map((each) => ({ operation, method: one.method, path: each }));
    }),
  );
  return [...new Map(actions.map((one) => [`${one.method} ${one.path}`, one])).values()];
}

// Users with shares and privileges of groups, by role.
export async function rolesIn(region: Region, { ids, user, reader }: World): Promise<Map<string, string>> {
  const administrator = await addPerson(region, { administrator: true });
  const privileged = await addPerson(region);
  await addGroup(region, [...privileges], [privileged.user]);
  const sharing = async (more: object): Promise<string> => {
    const person = await addPerson(region);
    const group = await addGroup(region, [], [person.user]);
    await done(region, 'POST', `${core}/um/groups/${group.id}/shares/${ids.datacenterId}`, { properties: more });
    return person.token;
  };
  return new Map([
    ['the owner', region.token],
    ['an administrator', administrator.token],
    ['a user with all privileges', privileged.token],
    ['a user with a share to edit', await sharing({ editPrivilege: true })],
    ['a user with a share to share', await sharing({ sharePrivilege: true })],
    ['a user with a share to read', reader.token],
    ['a user without rights', user.token],
  ]);
}

type Answer = 'possible' | 'forbidden' | 'missing';

// A body that is too large is refused after the rights, so the call changes nothing.
async function appliedTo({ method, path }: Action, url: string, token: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, connection: 'close', 'content-length': 10 * 1024 ** 3 };
  const { status } = await wire(url, head(method, path, headers));
  assert.ok(status >= 400, `${method} ${path}: ${status}`);
  return status === 403 ? 'forbidden' : status === 404 ? 'missing' : 'possible';
}

async function shownFor(region: Region, actions: readonly Action[], token: string): Promise<Answer[]> {
  const shown: Answer[] = [];
  for (let at = 0; at < actions.length; at += 200) {
    const calls = actions.slice(at, at + 200).map(({ method, path }) => ({ method, path }));
    const answer = await region.call<Refusals>('POST', '/console/rights', { calls }, { token });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    shown.push(...answer.body.refused.map((one) => one?.kind ?? 'possible'));
  }
  return shown;
}

interface Refusals {
  refused: ({ kind: Answer } | null)[];
}

// Returns how often each answer was given, and fails where the console and the region differ.
export async function compareRights(region: Region, actions: readonly Action[], token: string) {
  const shown = await shownFor(region, actions, token);
  const counts = { possible: 0, forbidden: 0, missing: 0 };
  const different: string[] = [];
  for (const [at, action] of actions.entries()) {
    const applied = await appliedTo(action, region.url, token);
    counts[applied] += 1;
    if (applied !== shown[at]) different.push(`${action.operation}: ${applied}, but the console shows ${shown[at]}`);
  }
  assert.deepEqual(different, []);
  return counts;
}
