// The brokers of event streaming, each with a button to stop or start it.
import { Button } from '../components/button.tsx';
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { Badge, Section } from '../components/text.tsx';
import { perform, toast } from '../components/toast.tsx';
import { clusterHelp } from '../resources/client-commands/page-commands.ts';
import { Chosen } from './chosen.tsx';
import { type Broker, clustersPath, readBrokers, setBroker } from './lab-api.ts';

export const BrokersPart = () => (
  <Section title="Brokers" lead="Clients can’t connect to a stopped broker, and other brokers lead its partitions.">
    <Chosen
      title="Cluster"
      what="the clusters"
      path={clustersPath}
      empty="There are no clusters yet. Create one to stop its brokers."
      command={clusterHelp}
    >
      {(cluster) => <Brokers cluster={cluster} />}
    </Chosen>
  </Section>
);

function Brokers({ cluster }: { cluster: string }) {
  const list = useResource<Broker[]>((signal) => readBrokers(cluster, signal));
  const set = (broker: number, serving: boolean): void =>
    perform(async () => {
      await setBroker(cluster, broker, serving);
      toast(serving ? `Broker ${broker} started.` : `Broker ${broker} stopped.`);
      await list.reload();
    });
  return (
    <Loaded resource={list} what="the brokers">
      {(brokers) => (
        <Table
          caption="Brokers"
          rows={brokers}
          keyOf={({ id }) => String(id)}
          columns={[
            { title: 'Broker', cell: ({ id }) => id },
            { title: 'Address', look: 'code', cell: ({ address }) => address },
            {
              title: 'State',
              cell: ({ serving }) => <Badge look={serving ? 'good' : 'fires'} text={serving ? 'Running' : 'Stopped'} />,
            },
            { title: 'Leads', cell: ({ leads }) => `${leads} partitions` },
            {
              title: 'Actions',
              look: 'buttons',
              cell: ({ id, serving }) => (
                <Button
                  text={serving ? 'Stop' : 'Start'}
                  look="plain"
                  label={`${serving ? 'Stop' : 'Start'} broker ${id}`}
                  onPress={() => set(id, !serving)}
                />
              ),
            },
          ]}
        />
      )}
    </Loaded>
  );
}
