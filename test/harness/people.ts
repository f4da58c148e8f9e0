// Users of a contract for black-box tests: created by the owner, each with a token.
import assert from 'node:assert/strict';
import { cumulet } from './process.ts';
import { createDone, type Owner, type Region, type ResourceBody, waitRequest } from './region.ts';

export const core = '/cloudapi/v6';

export interface PersonOfTest {
  user: ResourceBody;
  basic: Owner;
  token: string;
}

export interface OwnerOfTest {
  contract: number;
  basic: Owner;
  token: string;
}

interface Activity {
  hits: { hits: { _source: { action: string; resource: string; user: string } }[] };
}

let people = 0;

// Adds a contract with its own owner to the region. `more`: options of `contract add`, such as a limit.
export async function addContract(region: Region, number: number, ...more: string[]): Promise<OwnerOfTest> {
  const args = ['contract', 'add', '--owner', `owner${number}@example.com`, '--number', String(number), '--json'];
  const { code, stdout, stderr } = await cumulet([...args, ...more, '--data', region.data]);
  assert.equal(code, 0, stderr);
  const { contract, email, password } = JSON.parse(stdout) as Owner & { contract: number };
  return { contract, basic: { email, password }, token: await tokenOf(region, { email, password }) };
}

export async function tokenOf(region: Region, basic: Owner, query = ''): Promise<string> {
  const { status, body } = await region.call('GET', `/auth/v1/tokens/generate${query}`, undefined, { basic });
  assert.equal(status, 200, JSON.stringify(body));
  return String(body.token);
}

export async function addPerson(region: Region, more: Record<string, unknown> = {}): Promise<PersonOfTest> {
  const basic = { email: `person${++people}@example.com`, password: `Person-Password-${people}` };
  const properties = { firstname: 'A', lastname: 'Person', ...basic, ...more };
  const user = await createDone(region, `${core}/um/users`, { properties });
  return { user, basic, token: await tokenOf(region, basic) };
}

// Makes a person a user of another contract too. `more`: options of `user add`.
export async function joinContract(
  region: Region,
  { basic }: PersonOfTest,
  { contract }: Pick<OwnerOfTest, 'contract'>,
  ...more: string[]
): Promise<void> {
  const args = ['user', 'add', '--email', basic.email, '--contract', String(contract), ...more];
  const { code, stderr } = await cumulet([...args, '--data', region.data]);
  assert.equal(code, 0, stderr);
}

// With a PUT, as the owner.
export async function changePerson(region: Region, { user, basic }: PersonOfTest, more: object): Promise<ResourceBody> {
  const properties = { firstname: 'A', lastname: 'Person', email: basic.email, ...more };
  const { status, headers, body } = await region.call('PUT', `${core}/um/users/${user.id}`, { properties });
  assert.equal(status, 202, JSON.stringify(body));
  await waitRequest(region, headers.location);
  return (await region.call('GET', `${core}/um/users/${user.id}`)).body;
}

// The users that changed this person, by the activity log of a contract, newest first.
export async function changesOf(
  region: Region,
  { user }: PersonOfTest,
  { contract, token }: { contract: number; token: string },
): Promise<string[]> {
  const path = `/activitylog/v1/contracts/${contract}?limit=100`;
  const { status, body } = await region.call<Activity>('GET', path, undefined, { token });
  assert.equal(status, 200, JSON.stringify(body));
  return body.hits.hits
    .map(({ _source }) => _source)
    .filter(({ action, resource }) => action === 'sec.user.update' && resource === `user/${user.id}`)
    .map((entry) => entry.user);
}

// A group with these privileges and members.
export async function addGroup(region: Region, privileges: string[], members: ResourceBody[]): Promise<ResourceBody> {
  const flags = Object.fromEntries(privileges.map((name) => [name, true]));
  const group = await createDone(region, `${core}/um/groups`, { properties: { name: `group ${++people}`, ...flags } });
  for (const { id } of members) {
    const added = await region.call('POST', `${core}/um/groups/${group.id}/users`, { id });
    assert.equal(added.status, 202, JSON.stringify(added.body));
  }
  return group;
}
