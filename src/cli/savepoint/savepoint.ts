// `savepoint create`, `restore`, `list`, `remove`
import { Fault } from '../../base/fault.ts';
import { askRegion } from '../admin/operations.ts';
import { type Command, dataOption, type Input, jsonOption, type Option } from '../command.ts';
import { isLocked } from '../region/data-folder.ts';
import { print, printJson, size, table } from '../terminal.ts';
import type { SavePointDone } from './savepoints.ts';
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
    'Keeps the region as it is now, with everything in it: resources, accounts, metrics, logs, objects, topics, the ' +
    'clock and what the lab has set. Files that never change again are linked, not copied. A region that runs is ' +
    'stopped for a moment and starts again on the same ports.',
  options: [infrastructureOption, ...options],
  examples: [
    ['cumulet savepoint create filled', 'before the tests'],
    ['cumulet savepoint create --infrastructure empty', 'the same resources, without data'],
  ],
  async run(input) {
    const asked = { name: nameOf(input), infrastructure: input.has('infrastructure') };
    const done = isLocked(input.data)
      ? await askRegion(input.data, 'savepoint/create', asked, 0)
      : await whileLocked(configIn(input), (savePoints) => savePoints.save(asked.name, asked.infrastructure));
    if (input.has('json')) printJson(done);
    else {
      const { name, bytes, copiedBytes } = done;
      print(`Made the save point ${name}${times(done)}: ${size(bytes)}, of which ${size(copiedBytes)} were copied.`);
    }
    return 0;
  },
};

export const restore: Command = {
  name: 'savepoint restore',
  operands: 'NAME',
  mostOperands: 1,
  about:
    'Makes the region what it was at a save point. What came after that is gone; the save point stays, and can be ' +
    'restored again. A region that runs is stopped for a moment and starts again on the same ports. If it is ' +
    'interrupted, the region is as before or as at the save point, never half of each.',
  options,
  examples: [['cumulet savepoint restore filled', 'after each test']],
  async run(input) {
    const name = nameOf(input);
    const done = isLocked(input.data)
      ? await askRegion(input.data, 'savepoint/restore', { name }, 0)
      : await whileLocked(configIn(input), (savePoints) => savePoints.bringBack(name));
    if (input.has('json')) printJson(done);
    else {
      print(`The region is as it was at the save point ${done.name}${times(done)}.`);
      if (done.imported) print(importedNote);
    }
    return 0;
  },
};

export const list: Command = {
  name: 'savepoint list',
  about: 'Lists the save points of the region, the oldest first.',
  options,
  examples: [['cumulet savepoint list', 'with their sizes']],
  async run(input) {
    const savePoints = isLocked(input.data)
      ? (await askRegion(input.data, 'savepoint/list', {})).savePoints
      : stoppedSavePoints(configIn(input)).list();
    if (input.has('json')) printJson({ savePoints });
    else if (savePoints.length === 0) print('There are no save points.');
    else {
      const rows = savePoints.map((one) => [
        one.name,
        one.createdDate,
        one.regionTime,
        size(one.bytes),
        size(one.copiedBytes),
        [one.infrastructure && 'infrastructure', one.imported && 'imported'].filter(Boolean).join(', '),
      ]);
      print(table(['NAME', 'MADE', 'REGION TIME', 'SIZE', 'COPIED', ''], rows));
    }
    return 0;
  },
};

export const remove: Command = {
  name: 'savepoint remove',
  operands: 'NAME',
  mostOperands: 1,
  about: 'Removes a save point. The region is not touched.',
  options,
  examples: [['cumulet savepoint remove filled', 'when the tests are done']],
  async run(input) {
    const name = nameOf(input);
    if (isLocked(input.data)) await askRegion(input.data, 'savepoint/remove', { name });
    else await whileLocked(configIn(input), (savePoints) => savePoints.remove(name));
    if (input.has('json')) printJson({ removed: name });
    else print(`Removed the save point ${name}.`);
    return 0;
  },
};

function nameOf(input: Input): string {
  const [name] = input.operands;
  if (name === undefined) throw new Fault('refused', 'The name of the save point is missing.');
  return name;
}

const importedNote =
  'Its clusters and endpoints have the addresses of the region it was exported from: a cluster shows as FAILED where ' +
  'something else listens on them.';

const times = ({ tookMs, offlineMs }: SavePointDone): string =>
  offlineMs === tookMs ? ` in ${tookMs} ms` : ` in ${tookMs} ms, ${offlineMs} ms of them offline`;
