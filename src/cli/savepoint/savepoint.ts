// `savepoint create`, `restore`, `list`, `remove`
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption, type Input, jsonOption, type Option } from '../../command/command.ts';
import { print, printJson, size, table } from '../../command/terminal.ts';
import { isLocked } from '../../region-data/data-folder.ts';
import type { SavePointDone } from '../../region-data/save-points/savepoints.ts';
import { askRegion } from '../admin/operations.ts';
import { configIn, stoppedSavePoints, whileLocked } from './stopped.ts';

const options = [jsonOption, dataOption];

export const infrastructureOption: Option = {
  name: 'infrastructure',
  help: 'resources without data: no samples, log lines, records or objects',
};

export const create: Command = {
  name: 'savepoint create',
  operands: 'NAME',
  mostOperands: 1,
  about:
    'Saves the whole region: resources, accounts, metrics, logs, objects, topics, the ' +
    'clock and the settings of the lab. Files that never change again are linked, not copied. A running region ' +
    'stops for a moment and starts again on the same ports.',
  options: [infrastructureOption, ...options],
  examples: [
    ['cumulet savepoint create filled', 'before the tests'],
    ['cumulet savepoint create --infrastructure empty', 'the same resources, without data'],
  ],
  async run(input) {
    const request = { name: nameOf(input), infrastructure: input.has('infrastructure') };
    const done = isLocked(input.data)
      ? await askRegion(input.data, 'savepoint/create', request, 0)
      : await whileLocked(configIn(input), (savePoints) => savePoints.save(request.name, request.infrastructure));
    if (input.has('json')) printJson(done);
    else {
      const { name, bytes, copiedBytes } = done;
      print(`Created save point '${name}'${times(done)}: ${size(bytes)}, of which ${size(copiedBytes)} were copied.`);
    }
    return 0;
  },
};

export const restore: Command = {
  name: 'savepoint restore',
  operands: 'NAME',
  mostOperands: 1,
  about:
    'Restores the region to a save point. All later changes are lost. The save point remains and can be ' +
    'restored again. A running region stops for a moment and starts again on the same ports. If the restore is ' +
    'interrupted, the region is either unchanged or fully restored.',
  options,
  examples: [['cumulet savepoint restore filled', 'after each test']],
  async run(input) {
    const name = nameOf(input);
    const done = isLocked(input.data)
      ? await askRegion(input.data, 'savepoint/restore', { name }, 0)
      : await whileLocked(configIn(input), (savePoints) => savePoints.bringBack(name));
    if (input.has('json')) printJson(done);
    else {
      print(`Restored save point '${done.name}'${times(done)}.`);
      if (done.imported) print(importedNote);
    }
    return 0;
  },
};

export const list: Command = {
  name: 'savepoint list',
  about: 'Lists the save points of the region, oldest first.',
  options,
  examples: [['cumulet savepoint list', 'with their sizes']],
  async run(input) {
    const savePoints = isLocked(input.data)
      ? (await askRegion(input.data, 'savepoint/list', {})).savePoints
      : stoppedSavePoints(configIn(input)).list();
    if (input.has('json')) printJson({ savePoints });
    else if (savePoints.length === 0) print('The region has no save points. Create one with: savepoint create NAME');
    else {
      const rows = savePoints.map((one) => [
        one.name,
        one.createdDate,
        one.regionTime,
        size(one.bytes),
        size(one.copiedBytes),
        [one.infrastructure && 'infrastructure', one.imported && 'imported'].filter(Boolean).join(', '),
      ]);
      print(table(['NAME', 'CREATED', 'REGION TIME', 'SIZE', 'COPIED', ''], rows));
    }
    return 0;
  },
};

export const remove: Command = {
  name: 'savepoint remove',
  operands: 'NAME',
  mostOperands: 1,
  about: 'Removes a save point. The region is unchanged.',
  options,
  examples: [['cumulet savepoint remove filled', 'when the tests are done']],
  async run(input) {
    const name = nameOf(input);
    if (isLocked(input.data)) await askRegion(input.data, 'savepoint/remove', { name });
    else await whileLocked(configIn(input), (savePoints) => savePoints.remove(name));
    if (input.has('json')) printJson({ removed: name });
    else print(`Removed save point '${name}'.`);
    return 0;
  },
};

function nameOf(input: Input): string {
  const [name] = input.operands;
  if (name === undefined) throw new Fault('refused', "Name the save point, such as 'filled'.");
  return name;
}

const importedNote =
  'Its clusters and endpoints keep the addresses of the exported region: a cluster is FAILED where ' +
  'another program listens on them.';

const times = ({ tookMs, offlineMs }: SavePointDone): string =>
  offlineMs === tookMs ? ` in ${tookMs} ms` : ` in ${tookMs} ms, ${offlineMs} ms of that offline`;
