// The header of a topic's page: partitions, messages, size, retention and consumer groups.
import { useRefresh, useResource } from '../components/resource.ts';
import { formatValue } from '../plot/units.ts';
import type { TabProps } from '../resources/extension.ts';
import { inspectTopic, lagOf } from './inspection.ts';

const refreshMs = 10_000;

function retentionText(retention: unknown): string {
  const ms = Number((retention as { retentionTime?: number } | undefined)?.retentionTime ?? -1);
  return ms < 0 ? 'unlimited' : formatValue(ms / 1000, 'seconds');
}

export function TopicHead({ item: { properties }, path }: TabProps) {
  const found = useResource((signal) => inspectTopic(path, signal));
  useRefresh(found, refreshMs);
  const answer = found.answer.value;
  const { partitions = [], groups = [] } = answer && 'value' in answer ? answer.value : {};
  const isKnown = partitions.length > 0; // the tabs show why not
  const sum = (of: (one: (typeof partitions)[number]) => number): number =>
    partitions.reduce((all, one) => all + of(one), 0);
  const lag = groups.reduce((all, one) => all + lagOf(one), 0);
  const facts = [
    ['Messages', isKnown ? sum((one) => one.endOffset - one.startOffset).toLocaleString() : '–'],
    [
      'Size',
      isKnown
        ? formatValue(
            sum(({ bytes }) => bytes),
            'bytes',
          )
        : '–',
    ],
    ['Partitions', String(properties.numberOfPartitions)],
    ['Retention', retentionText(properties.logRetention)],
    ['Consumer groups', groups.length === 0 ? 'none' : `${groups.length}, lag ${lag.toLocaleString()}`],
  ];
  return (
    <dl class="head-facts">
      {facts.map(([title, text]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
