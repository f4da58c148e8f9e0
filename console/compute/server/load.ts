// CPU and network of a server in the last hour, from central monitoring of its region.
import { queryPlot } from '../../monitoring/plot/plot-query.ts';
import { centralOf } from '../../monitoring/sources.ts';
import type { Line } from '../../plot/plot.ts';
import { regionNowMs } from '../../region-clock.ts';
import { regionOf } from '../location.ts';

export interface ServerLoad {
  isOn: boolean; // central monitoring
  cpu: Line | undefined; // percent
  network: Line | undefined; // bytes per second, in both directions
}

const spanS = 3600;
const widthPx = 120;

export async function readLoad(
  path: string,
  id: string,
  regions: readonly string[],
  signal: AbortSignal,
): Promise<ServerLoad> {
  const region = await regionOf(path, signal);
  if (!regions.includes(region)) return { isOn: false, cpu: undefined, network: undefined };
  const source = await centralOf(region, signal);
  if (!source.isOn) return { isOn: false, cpu: undefined, network: undefined };
  const of = `{instance_id=${JSON.stringify(id)}}`;
  const toS = Math.floor(regionNowMs() / 1000);
  const queries = [
    { expression: `instance_cpu_utilization_average${of}`, legend: 'CPU' },
    {
      expression: `(instance_network_in_bytes${of} + instance_network_out_bytes${of}) / 60`, // counted per minute
      legend: 'Network',
    },
  ];
  const span = { fromS: toS - spanS, toS };
  const { plot } = await queryPlot({ source, queries, span, widthPx, isInstant: false }, signal);
  const lineOf = (name: string): Line | undefined => plot.lines.find((line) => line.name === name);
  return { isOn: true, cpu: lineOf('CPU'), network: lineOf('Network') };
}
