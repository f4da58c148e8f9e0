// Checks the console's ionosctl commands against the help texts of ionosctl.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommandNames, clientNames } from '../../../console/resources/client-commands/client-names.ts';
import { clientTexts } from '../../../console/resources/client-commands/client-texts.ts';
import type { ResourceModel } from '../../../console/resources/model.ts';
import { firstServer, paramsOf, sampleOf } from '../../console/harness/form-samples.ts';
import { core } from '../../harness/people.ts';
import { createDone, startRegion } from '../../harness/region.ts';
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
