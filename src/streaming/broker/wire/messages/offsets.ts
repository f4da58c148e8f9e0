// Messages about the committed offsets of groups. Names and versions are those of Apache Kafka 4.0.0.
import { api } from '../api.ts';
import { array, bool, int16, int32, int64, string } from '../field.ts';

export const offsetCommit = api({
  key: 8,
  name: 'OffsetCommit',
  versions: [2, 9],
  flexible: 8,
  request: {
    groupId: string,
    generationIdOrMemberEpoch: int32.or(-1),
    memberId: string,
    groupInstanceId: string.since(7).nullable(),
    retentionTimeMs: int64.until(4).or(-1),
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        committedOffset: int64,
        committedLeaderEpoch: int32.since(6).or(-1),
        committedMetadata: string.nullable(),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32.since(3),
    topics: array({ name: string, partitions: array({ partitionIndex: int32, errorCode: int16 }) }),
  },
});

export const offsetFetch = api({
  key: 9,
  name: 'OffsetFetch',
  versions: [1, 9],
  flexible: 6,
  request: {
    groupId: string.until(7),
    topics: array({ name: string, partitionIndexes: array(int32) })
      .until(7)
      .nullable(2),
    groups: array({
      groupId: string,
      memberId: string.since(9).nullable(),
      memberEpoch: int32.since(9).or(-1),
      topics: array({ name: string, partitionIndexes: array(int32) }).nullable(),
    }).since(8),
    requireStable: bool.since(7),
  },
  response: {
    throttleTimeMs: int32.since(3),
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        committedOffset: int64,
        committedLeaderEpoch: int32.since(5).or(-1),
        metadata: string.nullable(),
        errorCode: int16,
      }),
    }).until(7),
    errorCode: int16.since(2).until(7),
    groups: array({
      groupId: string,
      topics: array({
        name: string,
        partitions: array({
          partitionIndex: int32,
          committedOffset: int64,
          committedLeaderEpoch: int32.or(-1),
          metadata: string.nullable(),
          errorCode: int16,
        }),
      }),
      errorCode: int16,
    }).since(8),
  },
});

export const offsetDelete = api({
  key: 47,
  name: 'OffsetDelete',
  versions: [0, 0],
  flexible: Number.POSITIVE_INFINITY,
  request: {
    groupId: string,
    topics: array({ name: string, partitions: array({ partitionIndex: int32 }) }),
  },
  response: {
    errorCode: int16,
    throttleTimeMs: int32,
    topics: array({ name: string, partitions: array({ partitionIndex: int32, errorCode: int16 }) }),
  },
});
