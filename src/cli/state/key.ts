// `key rotate`
import { resolve } from 'node:path';
import { type Command, dataOption, jsonOption } from '../../command/command.ts';
import { print, printJson } from '../../command/terminal.ts';
import { rotateKey } from '../../region-data/key-rotation.ts';
import { openOffline } from '../../region-data/location.ts';
import { disposed, keyOption, placeOf, stateOf, stateOption, withProgress } from './state.ts';

export const rotate: Command = {
  name: 'key rotate',
  about:
    'Creates a new region key and seals all secrets of the state with it. Stop the region first, with PostgreSQL all its nodes. ' +
    'The old key is kept next to the new one, because backups and save points that were made before need it. If the command ' +
    'is killed, the state opens with one of the two keys: the next start, or the same command, continues with the right one.',
  options: [
    { name: 'to', takes: 'FILE', help: 'write the new key to that file, and leave the old one where it is' },
    { name: 'dry-run', help: 'only check that the key opens all secrets, and that no node runs' },
    stateOption,
    keyOption,
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet key rotate', 'of the stopped region on ./data'],
    ['cumulet key rotate --key /etc/cumulet/region.key --state postgres://cloud@db.example/cloud', 'of several nodes'],
  ],
  async run(input) {
    const at = await stateOf(input);
    const { key } = placeOf(input, at);
    const to = input.get('to');
    const isDryRun = input.has('dry-run');
    const request = { key, to: to === undefined ? undefined : resolve(to), isDryRun };
    const done = await withProgress(async (progress) => {
      await using opened = disposed(await openOffline(at, 'source'));
      return await rotateKey(opened.engine, request, progress);
    });
    if (input.has('json')) printJson(done);
    else {
      const { outcome, secrets, old } = done;
      if (outcome === 'checked') print(`${key} opens all ${secrets} secrets of ${at.label}. Nothing was changed.`);
      else if (outcome === 'completed') print(`An interrupted rotation is complete now: ${done.key} is the new key.`);
      else {
        print(`Sealed ${secrets} secrets of ${at.label} with a new key, ${done.key}.`);
        print(`Keep the old key for backups and save points that were made before: ${old}.`);
      }
      if (outcome !== 'checked' && at.folder === undefined)
        print('Give the new key to all nodes before you start them.');
    }
    return 0;
  },
};
