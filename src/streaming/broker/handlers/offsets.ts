// Committed offsets: commit, fetch and delete.

import { ConsumerGroup } from '../group/consumer-group.ts';
import type { OffsetCommit } from '../group/offsets.ts';
import type { RequestOf } from '../wire/api.ts';
import { errorCodes, ProtocolError } from '../wire/errors.ts';
import type { offsetCommit, offsetDelete, offsetFetch } from '../wire/messages/offsets.ts';
import { type Call, codeOf, distinct, type Handler } from './handler.ts';

const mostMetadata = 4_096;

interface CommittedTopic {
  name: string;
  partitions: {
    partitionIndex: number;
    committedOffset: number;
    committedLeaderEpoch: number;
    committedMetadata: string | null;
  }[];
}

export const handleOffsetCommit: Handler<typeof offsetCommit> = async (request, call) => {
  const { groupId, memberId, generationIdOrMemberEpoch: generationId, groupInstanceId } = request;
  const { valid, answer } = sortOut(request.topics, call);
  try {
    call.cluster.groups.checkCommit(groupId, { memberId, generationId, groupInstanceId });
    await call.cluster.offsets.commit(groupId, valid);
    return { topics: answer(0) };
  } catch (error) {
    return { topics: answer(codeOf(error, call)) };
  }
};

// Returns the commits of existing partitions, and the answer for all: each partition has its own error or the error of
// the request.
export function sortOut(topics: CommittedTopic[], call: Call) {
  const valid: OffsetCommit[] = [];
  const commitMs = call.cluster.clock.now();
  const results = topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map((one) => {
      const metadata = one.committedMetadata ?? '';
      const isKnown = call.cluster.topics.byName.get(name)?.partitions[one.partitionIndex];
      if (!isKnown) return { ...one, errorCode: errorCodes.UNKNOWN_TOPIC_OR_PARTITION };
      if (metadata.length > mostMetadata) return { ...one, errorCode: errorCodes.OFFSET_METADATA_TOO_LARGE };
      const { partitionIndex: partition, committedOffset: offset, committedLeaderEpoch: leaderEpoch } = one;
      valid.push({ topic: name, partition, offset, leaderEpoch, metadata, commitMs });
      return { ...one, errorCode: 0 };
    }),
  }));
  const answer = (code: number) =>
    results.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex, errorCode }) => ({ partitionIndex, errorCode: errorCode || code })),
    }));
  return { valid, answer };
}

type OffsetFetchRequest = RequestOf<typeof offsetFetch>;

export const handleOffsetFetch: Handler<typeof offsetFetch> = (request, call) => {
  if (call.version >= 8)
    return {
      groups: distinct(request.groups, ({ groupId }) => groupId).map((group) =>
        fetchGroup(group, request.requireStable, call),
      ),
    };
  const { groupId, topics } = request;
  const whole = { groupId, topics, memberId: null, memberEpoch: -1 };
  const { topics: found, errorCode } = fetchGroup(whole, request.requireStable, call);
  return { topics: found, errorCode };
};

function fetchGroup(group: OffsetFetchRequest['groups'][number], requireStable: boolean, call: Call) {
  const { groupId, topics, memberId, memberEpoch } = group;
  const { offsets, groups } = call.cluster;
  try {
    const known = groups.find(groupId);
    if (known instanceof ConsumerGroup && memberId !== null && memberEpoch >= 0)
      known.check({ memberId, generationId: memberEpoch, groupInstanceId: null });
  } catch (error) {
    return { groupId, topics: [], errorCode: codeOf(error, call) };
  }
  const all = Map.groupBy(offsets.of(groupId), ({ topic }) => topic);
  const wanted =
    topics ?? [...all].map(([name, list]) => ({ name, partitionIndexes: list.map(({ partition }) => partition) }));
  return {
    groupId,
    errorCode: 0,
    topics: wanted.map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes.map((partitionIndex) => {
        const found = offsets.find(groupId, name, partitionIndex);
        const isUnstable = requireStable && offsets.isUnstable(groupId, name, partitionIndex);
        return {
          partitionIndex,
          committedOffset: isUnstable ? -1 : (found?.offset ?? -1),
          committedLeaderEpoch: found?.leaderEpoch ?? -1,
          metadata: found?.metadata ?? '',
          errorCode: isUnstable ? errorCodes.UNSTABLE_OFFSET_COMMIT : 0,
        };
      }),
    })),
  };
}

export const handleOffsetDelete: Handler<typeof offsetDelete> = async ({ groupId, topics }, call) => {
  const { groups, offsets } = call.cluster;
  try {
    if (!groups.has(groupId)) throw new ProtocolError('GROUP_ID_NOT_FOUND');
    if (groups.find(groupId)?.isEmpty === false) throw new ProtocolError('NON_EMPTY_GROUP');
    const gone = topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex }) => ({ topic: name, partition: partitionIndex })),
    );
    await offsets.delete(groupId, gone);
    const answers = topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode: 0 })),
    }));
    return { errorCode: 0, topics: answers };
  } catch (error) {
    return { errorCode: codeOf(error, call), topics: [] };
  }
};
