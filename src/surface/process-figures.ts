// Metrics of the process, under the names that Prometheus' own client libraries use, so that common dashboards show
// them.

import { readdirSync } from 'node:fs';
import { machineTime } from '../base/clock.ts';
import { isLinux, isWindows } from '../base/operating-system.ts';
import { counter, type FigureSource, gauge } from '../core/figures.ts';
import { Metrics } from './metrics.ts';

const table = {
  cpuSeconds: counter('Processor time of all threads.'),
  residentMemoryBytes: gauge('Resident memory.'),
  startTimeSeconds: gauge('Start time of the process, in seconds since 1970.'),
  openFds: gauge('Files and connections that are open.'),
  eventLoopBusySeconds: counter('Time during which the main thread was busy.'),
};

// One for the life of the process.
export const openMetrics = (version: string): Metrics =>
  new Metrics({ version, node: process.versions.node }, processFigures());

function processFigures(): FigureSource<typeof table> {
  const startTimeSeconds = Math.round(machineTime() / 1000 - process.uptime());
  return {
    of: 'process',
    table,
    read() {
      const { user, system } = process.cpuUsage();
      return {
        cpuSeconds: (user + system) / 1e6,
        residentMemoryBytes: process.memoryUsage.rss(),
        startTimeSeconds,
        openFds: openFiles(),
        eventLoopBusySeconds: performance.eventLoopUtilization().active / 1000,
      };
    },
  };
}

function openFiles(): number {
  if (isWindows) return 0;
  return readdirSync(isLinux ? '/proc/self/fd' : '/dev/fd').length;
}
