// The settings of a topic as its logs need them.

export interface LogConfig {
  segmentBytes: number;
  segmentMs: number;
  retentionMs: number; // -1: unlimited
  retentionBytes: number; // per partition; -1: unlimited
  maxMessageBytes: number;
  isDeleting: boolean; // cleanup.policy has "delete"
  isCompacted: boolean; // cleanup.policy has "compact"
  deleteRetentionMs: number; // for how long a compacted log keeps tombstones
  minCompactionLagMs: number;
  isLogAppendTime: boolean;
}
