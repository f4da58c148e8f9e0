// Compaction: live blobs in a segment with much dead space are appended to the active segment, and the owner publishes
// their new handles. The file of an emptied segment stays for a while, for readers that have an old handle. After a
// crash, the next sweep finds copies or originals without references.
import type { MoveReference } from '../engine.ts';
import { handleOf, type Segment } from './segment.ts';
import type { Segments } from './segments.ts';

export interface CompactionOptions {
  now(): number;
  graceMs: number; // how long an emptied segment stays
}

const leastDead = 0.5; // share of a segment's bytes
const movesAtOnce = 64;

export interface Compacted {
  moved: number;
  hasMore: boolean;
}

// Moves one segment per call. If `move` fails, completed moves stay, and the rest is moved by a later call.
export async function compactSegments(
  segments: Segments,
  { now, graceMs }: CompactionOptions,
  beforeMs: number,
  move: MoveReference,
): Promise<Compacted> {
  const [victim, ...others] = segments.all().filter((segment) => isWorthwhile(segment, beforeMs));
  let moved = 0;
  if (victim) {
    if (segments.writer.isActive(victim)) await segments.writer.seal();
    // A put may have arrived before the seal; a later call compacts the segment then.
    if (isWorthwhile(victim, beforeMs)) {
      moved = await emptySegment(segments, victim, move);
      victim.emptiedMs = now();
    }
  }
  for (const segment of segments.all())
    if (segment.emptiedMs !== undefined && segment.emptiedMs + graceMs <= now()) await segments.drop(segment);
  return { moved, hasMore: others.length > 0 };
}

const isWorthwhile = ({ bytes, deadBytes, newestMs, emptiedMs }: Segment, beforeMs: number): boolean =>
  emptiedMs === undefined && newestMs < beforeMs && deadBytes > 0 && deadBytes >= bytes * leastDead;

async function emptySegment(segments: Segments, segment: Segment, move: MoveReference): Promise<number> {
  let moved = 0;
  const moveOne = async (offset: number, body: Buffer): Promise<void> => {
    const from = handleOf({ segment: segment.name, offset, size: body.length });
    const to = await segments.writer.append(body);
    const isMoved = await move(from, to);
    segments.bury(from);
    if (isMoved) moved++;
    else segments.bury(to);
  };
  let moves: Promise<void>[] = [];
  for await (const { offset, body } of segments.scan(segment)) {
    if (segment.isDead(offset)) continue;
    moves.push(moveOne(offset, body));
    if (moves.length === movesAtOnce) moves = await settled(moves);
  }
  await settled(moves);
  return moved;
}

// Waits for all moves before the first failure is thrown.
async function settled(moves: Promise<void>[]): Promise<[]> {
  const outcomes = await Promise.allSettled(moves);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return [];
}
