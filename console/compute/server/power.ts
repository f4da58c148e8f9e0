// Which power actions are of no use to a server now. The API takes some of them all the same: what runs goes on running
// when it is started.
import type { Item } from '../../resources/model.ts';

const powerOf = ({ properties }: Item): string => String(properties.vmState ?? '');
const isCube = ({ properties }: Item): boolean => properties.type === 'CUBE';

export const powerObstacles: Readonly<Record<string, (item: Item) => string | undefined>> = {
  server_start: (item) =>
    isCube(item) ? 'A Cube is resumed instead.' : powerOf(item) === 'RUNNING' ? 'It runs.' : undefined,
  server_stop: (item) =>
    isCube(item) ? 'A Cube is suspended instead.' : powerOf(item) === 'SHUTOFF' ? 'It is stopped.' : undefined,
  server_suspend: (item) =>
    !isCube(item)
      ? 'Only a Cube is suspended: stop it instead.'
      : powerOf(item) === 'SUSPENDED'
        ? 'It is suspended.'
        : undefined,
  server_resume: (item) =>
    !isCube(item) ? 'Only a Cube is resumed: start it instead.' : powerOf(item) === 'RUNNING' ? 'It runs.' : undefined,
};
