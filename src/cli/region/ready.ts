// The facts of a running region: the line that `up --json` prints when the region is ready, and that `status` repeats.
import { iso } from '../../base/clock.ts';
import { stateLabel } from '../../core/state/open.ts';
import type { Region } from '../../platform.ts';
import { reachable } from '../../surface/http/listener.ts';
import { machineEngine } from '../../surface/ports.ts';
import type { SeedOutcome } from './seeded.ts';

export interface Ready {
  event: 'ready';
  version: string;
  gateway: string;
  https: string;
  proxy: string;
  services: Record<string, string>;
  regions: readonly string[]; // for which regional services have an address
  data: string;
  stateAt?: string; // where the state is, if not in the data folder
  log: string | undefined; // the file, if there is one
  pid: number;
  contract: number;
  clock: { now: string; offsetMs: number }; // the platform's, which the lab may have moved
  faults: number; // planted by the lab
  machines: { engine: string; abilities: [what: string, value: string][] };
  owner?: { email: string; password: string }; // on the first start only
  seeded?: SeedOutcome; // by this start
}

export function readyOf(region: Region, about: { version: string; contract: number; log: string | undefined }): Ready {
  const { config, gateway, owner, clock, faults, regions, ports } = region;
  const machines = ports.use(machineEngine);
  const host = reachable(config.gateway.host);
  const plain = `http://${host}:${gateway.port}`;
  const base = config.gateway.publicUrl ?? plain;
  return {
    event: 'ready',
    version: about.version,
    gateway: plain,
    https: `https://${host}:${gateway.securePort}`,
    proxy: plain,
    services: Object.fromEntries([
      ...region.services().map(({ name, prefixes }) => [name, base + (prefixes[0] ?? '')]),
      ...region.listening.map(({ name, url }) => [name, url]),
    ]),
    regions: regions.all,
    data: config.data,
    ...(config.state !== `sqlite:${config.data}` && { stateAt: stateLabel(config.state) }),
    log: about.log,
    pid: process.pid,
    contract: about.contract,
    clock: { now: iso(clock.now()), offsetMs: clock.offset() },
    faults: faults.list().length,
    machines: { engine: machines.title, abilities: machines.abilities },
    ...(owner && { owner }),
  };
}
