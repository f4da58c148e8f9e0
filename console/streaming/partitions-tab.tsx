// The partitions of a topic with leaders, sizes and offsets, and the lag of consumer groups.
import { useRefresh, useResource } from '../components/resource.ts';
import { Empty, Loaded } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { Badge, Section } from '../components/text.tsx';
import { formatValue } from '../plot/units.ts';
import type { TabProps } from '../resources/extension.ts';
import { GroupsTable } from './groups-table.tsx';
import { inspectTopic, type PartitionFacts } from './inspection.ts';

const refreshMs = 5000;

export function PartitionsTab({ path }: TabProps) {
  const found = useResource((signal) => inspectTopic(path, signal));
  useRefresh(found, refreshMs);
  return (
    <Loaded resource={found} what="the partitions">
      {({ partitions, groups }) => (
        <div class="topics">
          <Section title="Partitions">
            <Table caption="Partitions" rows={partitions} keyOf={({ index }) => String(index)} columns={columns} />
          </Section>
          <Section title="Consumer groups">
            {groups.length === 0 ? (
              <Empty text="No consumer group has read this topic yet." />
            ) : (
              <GroupsTable groups={groups} hasTopics={false} />
            )}
          </Section>
        </div>
      )}
    </Loaded>
  );
}

const columns = [
  { title: 'Partition', cell: ({ index }: PartitionFacts) => index },
  {
    title: 'Leader',
    cell: ({ leader }: PartitionFacts) => (leader < 0 ? <Badge look="fires" text="No leader" /> : `Broker ${leader}`),
  },
  {
    title: 'In sync',
    cell: ({ replicas, inSync }: PartitionFacts) => `${inSync.length} of ${replicas.length} (${inSync.join(', ')})`,
  },
  { title: 'Offsets', cell: ({ startOffset, endOffset }: PartitionFacts) => `${startOffset} to ${endOffset}` },
  { title: 'Records', cell: (one: PartitionFacts) => (one.endOffset - one.startOffset).toLocaleString() },
  { title: 'Size', cell: ({ bytes }: PartitionFacts) => formatValue(bytes, 'bytes') },
];
