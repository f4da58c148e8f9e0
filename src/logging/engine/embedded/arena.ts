// An arena: the lines in memory, and the write-ahead logs with these lines on disk. A full arena is sealed: its lines
// become blocks of a new segment, and its logs are removed.

import type { LineColumns, PackedJob } from '../packed-job.ts';
import { Head } from './head.ts';
import type { Stream, StreamIndex } from './streams.ts';

export class Arena {
  readonly logs: number[]; // the numbers of its files
  readonly begunMs: number;
  readonly heads = new Map<Stream, Head>();
  bytes = 0; // estimated memory of its lines

  constructor(logs: number[], begunMs: number) {
    this.logs = logs;
    this.begunMs = begunMs;
  }

  get isEmpty(): boolean {
    return this.heads.size === 0;
  }

  add({ tenant, streams }: PackedJob, index: StreamIndex): void {
    for (const { key, columns } of streams) {
      if (columns.count === 0) continue;
      const stream = index.findOrAdd(tenant, key);
      let head = this.heads.get(stream);
      if (!head) {
        head = new Head(stream.usual);
        this.heads.set(stream, head);
        stream.heads.push(head);
      }
      head.append(columns);
      this.bytes += bytesOf(columns);
    }
  }

  // Removes the lines of a dropped tenant.
  drop(tenant: string): void {
    for (const stream of this.heads.keys()) if (stream.tenant === tenant) this.heads.delete(stream);
  }

  // Called when the lines are in blocks.
  leave(): void {
    for (const [stream, head] of this.heads) {
      stream.heads = stream.heads.filter((one) => one !== head);
      stream.usual = head.size;
    }
  }
}

const bytesOfPlace = 12; // for the time of a line and its end

const bytesOf = ({ count, lines, metadata }: LineColumns): number =>
  count * bytesOfPlace + lines.bytes.length + (metadata?.bytes.length ?? 0);
