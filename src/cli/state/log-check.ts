// The files of log lines in `state check`: read beside the rows, and told together with them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StateCheck, StateEngine } from '../../core/state/engine.ts';
import { checkSegments, type LogsCheck } from '../../logging/engine/embedded/check.ts';
import type { FoldersPlace } from './data-folder.ts';
import { isEmbedded, otherNode } from './engine-place.ts';

export interface CheckedLogs extends StateCheck {
  logSegments: number; // files of log lines that were read
}

// `logs`: what was found, or why nothing was read.
export const withLogs = (found: StateCheck, logs: LogsCheck | string): CheckedLogs =>
  typeof logs === 'string'
    ? { ...found, logSegments: 0, notes: [...found.notes, logs] }
    : { ...found, logSegments: logs.segments, damage: [...found.damage, ...logs.damage] };

// Of a region that runs or not.
export async function checkLines(engine: StateEngine, { data, engines }: FoldersPlace): Promise<LogsCheck | string> {
  const folder = join(data, 'logs');
  if (!isEmbedded(engines.logs) || !existsSync(folder)) return { segments: 0, damage: [] };
  const other = await otherNode(engine, data, 'logs');
  if (other !== undefined) return `The log lines were not read: they are kept by another node, on ${other}.`;
  return checkSegments(folder);
}
