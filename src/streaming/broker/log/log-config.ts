// The settings of a topic as its logs need them.

export interface LogConfig {
  segmentBytes: number;
  segmentMs: number;
  segmentJitterMs: number;
  retentionMs: number; // -1: unlimited
  retentionBytes: number; // per partition; -1: unlimited
  maxMessageBytes: number;
  isDeleting: boolean; // cleanup.policy has "delete"
  isCompacted: boolean; // cleanup.policy has "compact"
  deleteRetentionMs: number; // how long a compacted log keeps tombstones
  minCompactionLagMs: number;
  maxCompactionLagMs: number;
  minDirtyRatio: number;
  isLogAppendTime: boolean;
  timestampBeforeMs: number; // how far the time of a record may be from the broker's
  timestampAfterMs: number;
  flushMessages: number;
  flushMs: number;
  minInSyncReplicas: number;
  compression: number | undefined; // batches of another codec are recompressed; undefined: never
  gzipLevel: number;
  zstdLevel: number;
}

// Returns the age at which a segment is closed. `share`: the part of the jitter, 0 to 1, different for each partition.
export function segmentAgeMs(config: LogConfig, share: number): number {
  const { segmentMs, segmentJitterMs, isCompacted, maxCompactionLagMs } = config;
  const mostMs = isCompacted ? Math.min(segmentMs, maxCompactionLagMs) : segmentMs;
  return mostMs - share * Math.min(segmentJitterMs, segmentMs);
}
