// Selects the stream of the pipeline for lines with labels or attributes: the one that `tag` names. Without a tag it
// must be the only one.
import { UnreadablePush } from '../../core/push/push-body.ts';
import type { Labels } from '../engine/engine.ts';
import { labelName } from './line-collector.ts';
import { type LogPush, type TargetStream, UnknownTag } from './push.ts';

const mostLabels = 30;
const mostValue = 2048;
const own = new Set(['tag', 'source', 'pipeline']);

export function streamFor({ streams }: LogPush, tag: string | undefined): TargetStream {
  const stream = tag === undefined && streams.length === 1 ? streams[0] : streams.find((one) => one.tag === tag);
  if (!stream) throw new UnknownTag(tag);
  return stream;
}

// Returns the sender's labels, without those that every stream sets itself.
export function sentLabels(pairs: readonly (readonly [name: string, value: string])[]): Labels {
  const labels: Record<string, string> = {};
  for (const [name, value] of pairs) {
    if (own.has(name) || value === '') continue;
    if (value.length > mostValue) throw new UnreadablePush(`the label ${name} is longer than ${mostValue} characters`);
    labels[labelName(name)] = value;
  }
  if (Object.keys(labels).length > mostLabels) throw new UnreadablePush(`a stream has more than ${mostLabels} labels`);
  return labels;
}
