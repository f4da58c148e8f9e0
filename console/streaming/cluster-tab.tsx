// The brokers of a cluster, and its consumer groups.
import { useRefresh, useResource } from '../components/resource.ts';
import { Empty, Loaded } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { Badge, Section } from '../components/text.tsx';
import type { TabProps } from '../resources/extension.ts';
import { GroupsTable } from './groups-table.tsx';
import { type BrokerFacts, inspectCluster } from './inspection.ts';

const refreshMs = 5000;

export function ClusterTab({ item, path }: TabProps) {
  const found = useResource((signal) => inspectCluster(path, signal));
  useRefresh(found, refreshMs);
  const addresses = (item.metadata?.brokerAddresses ?? []) as readonly string[];
  return (
    <Loaded resource={found} what="the brokers">
      {({ brokers, groups }) => (
        <div class="topics">
          <Section title="Brokers">
            <Table
              caption="Brokers"
              rows={brokers}
              keyOf={({ id }) => String(id)}
              columns={[
                { title: 'Broker', cell: ({ id }: BrokerFacts) => id },
                { title: 'Address', look: 'code', cell: ({ id }: BrokerFacts) => addresses[id - 1] ?? '–' },
                {
                  title: 'State',
                  cell: ({ isServing }: BrokerFacts) => (
                    <Badge look={isServing ? 'good' : 'fires'} text={isServing ? 'Running' : 'Stopped'} />
                  ),
                },
                { title: 'Leads', cell: ({ leads }: BrokerFacts) => `${leads} partitions` },
              ]}
            />
          </Section>
          <Section title="Consumer groups">
            {groups.length === 0 ? (
              <Empty text="No consumer group has read from this cluster yet." />
            ) : (
              <GroupsTable groups={groups} hasTopics />
            )}
          </Section>
        </div>
      )}
    </Loaded>
  );
}
