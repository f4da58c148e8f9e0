// The data hooks of log lines: save points, backups, checks and resets.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { DataHooks } from '../surface/product-data.ts';
import { logFileOf, logPieces } from './engine/embedded/backup-files.ts';
import { checkSegments } from './engine/embedded/check.ts';
import { isFrozenLogFile } from './engine/embedded/segment.ts';

export const loggingData: DataHooks = {
  async check({ path }) {
    const { segments, damage } = existsSync(path) ? await checkSegments(path) : { segments: 0, damage: [] };
    return { damage, count: { key: 'logSegments', value: segments, text: `${segments} files of log lines` } };
  },
  snapshot: { isFrozen: isFrozenLogFile, pieces: logPieces },
  restore: { fileOf: logFileOf },
  reset: {
    claims: ['log-drop'],
    async empty({ path }) {
      await rm(path, { recursive: true, force: true });
      return undefined;
    },
  },
};
