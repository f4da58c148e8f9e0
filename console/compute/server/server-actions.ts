// Actions of a server that are not operations of the server itself: its terminal, and a snapshot of its boot volume.
import type { ItemAction } from '../../resources/actions/item-action.ts';
import type { ActionPlace } from '../../resources/extension.ts';
import type { Item } from '../../resources/model.ts';
import { matched, nameOf } from '../../resources/place.ts';
import { resourceUrl } from '../../urls.ts';
import { isTemplated, powerOf } from './power.ts';

export function serverActions(item: Item, { models, path, open, refusal }: ActionPlace): ItemAction[] {
  const terminal: ItemAction = {
    operation: 'server_terminal',
    title: 'Terminal',
    note: 'Open a shell on the server',
    obstacle: powerOf(item) === 'RUNNING' ? undefined : 'The server is not running.',
    url: resourceUrl('cloudapi', path, { tab: 'terminal' }),
  };
  const model = models.find(({ name, isReference }) => name === 'volume' && !isReference);
  const operation = model?.ofOne.find((one) => one.operation === 'volume_createSnapshot');
  const { datacenterId = '' } = matched('/datacenters/{datacenterId}/servers/{serverId}', path) ?? {};
  const { id: volumeId } = (item.properties.bootVolume ?? {}) as { id?: string };
  if (!model || !operation) return [terminal];
  const target = {
    model,
    params: { datacenterId, volumeId: volumeId ?? '' },
    subject: `boot volume of ${nameOf(item)}`,
  };
  const snapshot: ItemAction = {
    operation: operation.operation,
    title: 'Snapshot',
    note: 'Create a snapshot of the boot volume',
    obstacle: volumeId === undefined ? 'The server has no boot volume.' : refusal(operation, target),
    act: () => open(operation, target),
  };
  return [terminal, snapshot];
}

// Cubes and GPU servers have other power actions.
export const serverShortcuts = (item: Item): readonly string[] => [
  ...(isTemplated(item) ? ['server_resume', 'server_suspend'] : ['server_start', 'server_stop']),
  'server_reboot',
  'server_terminal',
  'volume_createSnapshot',
];
