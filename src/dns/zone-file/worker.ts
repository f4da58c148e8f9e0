// The thread that reads zone files.
import { serveCalls, transferring } from '../../core/threads/worker-calls.ts';
import type { ZoneFileCalls } from './read-file.ts';
import { linesOf } from './records-in-file.ts';

serveCalls<ZoneFileCalls>({
  read({ bytes, zoneName, zoneId }) {
    const { lines, ...figures } = linesOf(bytes, zoneName, zoneId);
    return transferring({ ...figures, lines }, [lines.buffer as ArrayBuffer]);
  },
});
