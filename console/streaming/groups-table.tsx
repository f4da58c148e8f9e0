// Consumer groups and their lag by partition.
import { Table } from '../components/table.tsx';
import { Badge, Noted } from '../components/text.tsx';
import { type GroupProgress, lagOf } from './inspection.ts';

export function GroupsTable({ groups, hasTopics }: { groups: readonly GroupProgress[]; hasTopics: boolean }) {
  return (
    <Table
      caption="Consumer groups"
      rows={groups}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Group', cell: ({ id }) => <bdi>{id}</bdi> },
        {
          title: 'State',
          cell: ({ state, members }) => (
            <Noted note={`${members} ${members === 1 ? 'member' : 'members'}`}>
              <Badge look={members > 0 ? 'good' : 'old'} text={state} />
            </Noted>
          ),
        },
        {
          title: 'Lag',
          cell: (group) => (
            <Noted note={placesOf(group, hasTopics)}>{`${lagOf(group).toLocaleString()} records`}</Noted>
          ),
        },
      ]}
    />
  );
}

const mostPlaces = 12;

// The partitions with lag; without any lag, all of its positions.
function placesOf({ partitions }: GroupProgress, hasTopics: boolean): string {
  const behind = partitions.filter(({ lag }) => lag > 0);
  const shown = (behind.length > 0 ? behind : partitions).slice(0, mostPlaces);
  const texts = shown.map(
    ({ topic, partition, committed, lag }) =>
      `${hasTopics ? `${topic}/` : ''}${partition} at ${committed}${lag > 0 ? `, ${lag} behind` : ''}`,
  );
  const more = (behind.length || partitions.length) - shown.length;
  return [...texts, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}
