// Data folders that an earlier version has written.
import { DatabaseSync } from 'node:sqlite';

// Audit entries and tokens expire, so the region must believe that it stopped a moment ago: the offset of the lab's
// clock at the stop is in a row of the state. The checksum of the row is wrong until `undo` is called.
export function turnBackClock(file: string, madeAt: number, offsetMs: number): { undo(): void } {
  const turned = offsetMs + madeAt - Date.now();
  replaceOffset(file, offsetMs, turned);
  return { undo: () => replaceOffset(file, turned, offsetMs) };
}

function replaceOffset(file: string, from: number, to: number): void {
  using db = new DatabaseSync(file);
  const change = "UPDATE resource SET rest = replace(rest, ?, ?) WHERE place = 'lab' AND id = 'clock'";
  db.prepare(change).run(String(from), String(to));
}
