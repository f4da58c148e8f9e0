// The consoles of a contract's machines, line by line, for central logging.

import { pathOf } from '../../core/resource.ts';
import { type LogSource, regionOfLocation } from '../../core/resource-logs.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { MachineEngine, MachineHandle } from './engine.ts';

export const consoleLog = (
  store: Store,
  machines: Pick<MachineEngine, 'consoleLines'>,
  machineIn: (server: Row) => MachineHandle | undefined,
): LogSource => ({
  tag: 'console',
  product: 'compute',
  async *lines(contract, region, fromMs, toMs) {
    for await (const datacenter of store.each({ contract, place: 'datacenters' })) {
      const { location } = JSON.parse(datacenter.body) as { location: string };
      if (regionOfLocation(location) !== region) continue;
      for await (const server of store.each({ contract, place: `${pathOf(datacenter)}/servers` })) {
        const handle = machineIn(server);
        const lines = handle === undefined ? [] : await machines.consoleLines(handle, toMs);
        const labels = { datacenter_id: datacenter.id, server_id: server.id };
        for (const { at, text } of lines)
          if (at >= fromMs && at < toMs)
            for (const line of text.split('\n')) if (line.trim() !== '') yield { timeMs: at, line, labels };
      }
    }
  },
});
