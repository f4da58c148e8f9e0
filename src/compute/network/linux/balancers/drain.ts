// Connections of proxies to a machine that is about to end. New ones go to other targets already.
import type { Unit } from '../unit.ts';
import { configFile } from './proxy-config.ts';

const longestTenths = 50; // of a second

// Undefined: no proxy reached the machine.
export function drainScript(machine: Unit, units: readonly Unit[]): string | undefined {
  const lines = units.flatMap(({ key, links, proxy }) => {
    const bridge = links.find(({ device }) => device === 'target')?.bridge;
    const config = proxy?.[configFile];
    if (config === undefined || bridge == null) return [];
    return addressesOn(machine, bridge)
      .filter((address) => !config.includes(`server ${address}:`))
      .map((address) => `ip netns exec ${key} ss -Htn state established dst ${address}`);
  });
  if (lines.length === 0) return undefined;
  return `tenths=0
while [ $tenths -lt ${longestTenths} ] && [ -n "$( { ${lines.join('; ')}; } 2>/dev/null )" ]; do
sleep 0.1; tenths=$((tenths + 1))
done`;
}

const addressesOn = ({ links, addresses }: Unit, bridge: string): string[] => {
  const devices = links.filter((link) => link.bridge === bridge).map(({ device }) => device);
  return addresses.filter(({ device }) => devices.includes(device)).map(({ address }) => address.replace(/\/.*/, ''));
};
