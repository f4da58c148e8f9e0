// The device that a server boots from, where it is not the one that a new server would boot from.
import { isObject, type Values } from '../../base/json.ts';

// `null` as the boot volume: it boots from the network.
export function bootDevice({ bootVolume, bootCdrom }: Values, volumes: readonly Values[]): Values {
  if (isObject(bootCdrom)) return { bootCdrom: { id: String(bootCdrom.id) } };
  const orders = volumes.map(({ properties }) => (properties as Values).bootOrder);
  const primary = orders.indexOf('PRIMARY');
  const usual = volumes[primary < 0 ? orders.findIndex((one) => one !== 'NONE') : primary];
  if (!isObject(bootVolume)) return usual ? { bootVolume: null } : {};
  return bootVolume.id === usual?.id ? {} : { bootVolume: { id: String(bootVolume.id) } };
}
