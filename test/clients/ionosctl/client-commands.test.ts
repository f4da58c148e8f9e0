// Checks the console's ionosctl commands against the help texts of ionosctl.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommandNames, clientNames } from '../../../console/resources/client-commands/client-names.ts';
import { clientTexts } from '../../../console/resources/client-commands/client-texts.ts';
import * as shown from '../../../console/resources/client-commands/page-commands.ts';
import type { ResourceModel } from '../../../console/resources/model.ts';
import { eachFirstCommand, Shell } from '../../console/forms/first-commands.ts';
import { firstServer, paramsOf, sampleOf } from '../../console/harness/form-samples.ts';
import { core } from '../../harness/people.ts';
import { createDone, startRegion } from '../../harness/region.ts';
import { makeSample } from '../../harness/samples.ts';
import { find } from '../install.ts';
import { mustRun, wayTo, workFolder } from '../run.ts';

const ionosctl = find('CUMULET_IONOSCTL', 'ionosctl');

test('the console uses commands and flags that ionosctl has, and all required ones', {
  skip: ionosctl.skip ?? false,
}, async (t) => {
  await using region = await startRegion();
  const { body } = await region.call<{ resources: ResourceModel[] }>('GET', '/console/model');
  const home = workFolder(t);
  for (const [operation, { ionosctl: names }] of Object.entries(clientNames)) {
    if (!names) continue;
    const model = body.resources.find(({ create }) => create?.operation === operation);
    assert.ok(model?.create, operation);
    const { stdout } = await mustRun([ionosctl.path as string, ...names.words.split(' '), '--help'], {
      env: { HOME: home, XDG_CONFIG_HOME: home },
    });
    const offered = new Set([...stdout.matchAll(/^ +(?:-\w, )?--([\w-]+)/gm)].map(([, flag]) => flag));
    const usage = names.words.replace(/ --.*$/, '');
    assert.match(stdout, new RegExp(`^ +ionosctl ${usage} \\[flags\\]`, 'm'), operation);
    assert.deepEqual(
      flagsOf(names).filter((flag) => !offered.has(flag)),
      [],
      operation,
    );
    const [, least] = clientTexts({
      operation: model.create,
      url: '',
      params: paramsOf(model.create.path),
      ...(model.isRegional && { region: 'de-fra' }),
      body: sampleOf(model.create.body, 'needed'),
    });
    const needed = (least?.needs ?? []).flatMap((path) =>
      Object.entries(names.flags).flatMap(([at, flag]) => (withoutNumbers(at).startsWith(path) ? [flag] : [])),
    );
    const lacking = demandedIn(stdout).filter(
      (flag) => !least?.text.includes(`--${flag}`) && !needed.includes(flag) && !byApi.has(`${operation} ${flag}`),
    );
    assert.deepEqual(lacking, [], `${operation}: ${least?.text}`);
  }
});

test('the commands for the first server create the same as its form', { skip: ionosctl.skip ?? false }, async (t) => {
  await using region = await startRegion();
  const { env } = await wayTo(region, 'direct', workFolder(t));
  const properties = { name: 'first', location: 'de/txl' };
  const { id } = await createDone(region, `${core}/datacenters`, { properties });
  const [, commands] = clientTexts(firstServer(id));
  assert.deepEqual(commands?.leavesOut, []);
  const script = `ionosctl() { "$IONOSCTL" "$@"; }\nset -e\n${commands?.text}`;
  await mustRun(['bash', '-c', script], {
    env: { ...env, IONOSCTL: ionosctl.path as string, IMAGE_PASSWORD: 'APasswordOfTests1' },
  });
  const inside = `${core}/datacenters/${id}`;
  const { body: volumes } = await region.call('GET', `${inside}/volumes?depth=1`);
  assert.equal(volumes.items[0]?.properties.name, 'boot');
  assert.ok(volumes.items[0]?.properties.bootServer);
  const { body: lans } = await region.call('GET', `${inside}/lans?depth=3`);
  assert.equal(lans.items[0]?.properties.public, true);
  assert.equal(lans.items[0]?.entities?.nics?.items?.length, 1);
});

test('the commands of empty lists and other pages work', { skip: ionosctl.skip ?? false }, async (t) => {
  await using region = await startRegion();
  const { env } = await wayTo(region, 'direct', workFolder(t));
  const shell = new Shell(region);
  t.after(() => shell.remove());
  const run = (text: string): Promise<string> =>
    shell.run(`ionosctl() { "$IONOSCTL" "$@"; }\n${text}`, { ...env, IONOSCTL: ionosctl.path as string });
  const { body } = await region.call<{ resources: ResourceModel[] }>('GET', '/console/model');
  const made = new Map<string, string>();
  const create = async ({ name }: ResourceModel): Promise<void> => {
    await makeSample(region, name, made).catch(() => undefined); // a reference has no sample
  };
  await eachFirstCommand(region, body.resources, create, async ({ name, command }) => {
    if (!name.startsWith('s3key')) await run(command.shown.text); // the user needs a privilege first
    await region.call('GET', '/lab/idle');
  });
  await run(shown.firstDatacenter);
  const { body: datacenters } = await region.call('GET', `${core}/datacenters`);
  const id = String(datacenters.items.at(-1)?.id);
  await run(shown.firstServer(id));
  await region.call('GET', '/lab/idle');
  const { body: servers } = await region.call('GET', `${core}/datacenters/${id}/servers`);
  await run(shown.startServer(id, String(servers.items[0]?.id)));
  const { body: requests } = await region.call('GET', `${core}/requests?limit=1`);
  await run(shown.requestDetails(String(requests.items[0]?.id)));
  for (const one of [shown.contractLimits, shown.clusterHelp, shown.scalingGroupHelp]) await run(one);
});

// The API also requires it, depending on the type of the server.
const byApi = new Set(['server_create ram']);

// Without flags that have a default, and flags for one kind of resource only: `[CUBE Server] …`.
const demandedIn = (help: string): string[] =>
  [...help.matchAll(/^ +(?:-\w, )?--([\w-]+) \w+ +(?![ []).*\(required\)(?! \(default)/gm)].map(
    ([, flag]) => flag ?? '',
  );

const withoutNumbers = (path: string): string => path.replace(/\.\d+/g, '');

const flagsOf = ({ flags, takesFile, words }: CommandNames): string[] => [
  ...Object.values(flags),
  ...(takesFile ? ['json-properties'] : []),
  ...[...words.matchAll(/--([\w-]+)/g)].map(([, flag]) => flag ?? ''),
];
