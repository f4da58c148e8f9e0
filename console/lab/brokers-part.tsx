// The brokers of event streaming: each can be stopped, and started again.
import { Button } from '../components/button.tsx';
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { Badge, Section } from '../components/text.tsx';
import { perform, toast } from '../components/toast.tsx';
import { Chosen } from './chosen.tsx';
import { type Broker, clustersPath, readBrokers, setBroker } from './lab-api.ts';

export const BrokersPart = () => (
  <Section title="Brokers" lead="Clients can not connect to a broker that is stopped, and others lead its partitions.">
    <Chosen
      title="Cluster"
      what="the clusters"
      path={clustersPath}
      empty="There is no cluster yet, and so no broker to stop."
      command="ionosctl kafka cluster create --help"
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
      toast(serving ? `Broker ${broker} serves again.` : `Broker ${broker} was stopped.`);
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
              cell: ({ serving }) => <Badge look={serving ? 'good' : 'fires'} text={serving ? 'Serves' : 'Stopped'} />,
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
