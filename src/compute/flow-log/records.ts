// The text of a published interval: one line per flow, in version 2 of the record format, 14 fields.
import type { Row } from '../../core/state/engine.ts';
import { type Capture, chunkOf } from './capture-rows.ts';
import { addTotals, type FlowTotals, flowKey } from './flow-totals.ts';
import { endSeconds, startSeconds } from './interval.ts';

const version = 2;

// The same chunks give the same text, so an object that is written twice has the same bytes.
export function recordsOf(capture: Capture, interval: number, chunks: readonly Row[]): string {
  const flows = new Map<string, FlowTotals>();
  let isComplete = true;
  for (const chunk of chunks.map(chunkOf)) {
    if (chunk.skipped) isComplete = false;
    for (const flow of chunk.flows) {
      const key = flowKey(flow);
      const known = flows.get(key);
      if (known) addTotals(known, flow);
      else flows.set(key, flow);
    }
  }
  const front = `${version} ${capture.contract} ${capture.interfaceId}`;
  const lines = [...flows.values()].map((flow) => `${front} ${fieldsOf(flow)} OK\n`);
  // One record represents all skipped flows; unknown fields are dashes.
  if (!isComplete)
    lines.push(`${front} - - - - - - - ${startSeconds(interval)} ${endSeconds(interval) - 1} - SKIPDATA\n`);
  return lines.join('');
}

const fieldsOf = (flow: FlowTotals): string =>
  `${flow.sourceIp} ${flow.targetIp} ${flow.sourcePort} ${flow.targetPort} ${flow.protocol} ${flow.packets} ` +
  `${flow.bytes} ${flow.first} ${flow.last} ${flow.action}`;
