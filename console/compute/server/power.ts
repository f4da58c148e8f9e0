// Power actions that would have no effect on a server. The API accepts some of them anyway: starting a running server
// changes nothing.
import type { Item } from '../../resources/model.ts';

export const powerOf = ({ properties }: Item): string => String(properties.vmState ?? '');

export const isTemplated = ({ properties }: Item): boolean => properties.type === 'CUBE' || properties.type === 'GPU';
const kindOf = ({ properties }: Item): string => (properties.type === 'CUBE' ? 'a Cube' : 'a GPU server');

export const powerObstacles: Readonly<Record<string, (item: Item) => string | undefined>> = {
  server_start: (item) =>
    isTemplated(item)
      ? `Use Resume: ${kindOf(item)} can’t be started.`
      : powerOf(item) === 'RUNNING'
        ? 'The server is running.'
        : undefined,
  server_stop: (item) =>
    isTemplated(item)
      ? `Use Suspend: ${kindOf(item)} can’t be stopped.`
      : powerOf(item) === 'SHUTOFF'
        ? 'The server is stopped.'
        : undefined,
  server_suspend: (item) =>
    !isTemplated(item)
      ? 'Use Stop: only Cubes and GPU servers can be suspended.'
      : powerOf(item) === 'SUSPENDED'
        ? 'The server is suspended.'
        : undefined,
  server_resume: (item) =>
    !isTemplated(item)
      ? 'Use Start: only Cubes and GPU servers can be resumed.'
      : powerOf(item) === 'RUNNING'
        ? 'The server is running.'
        : undefined,
};
