// The load of machines, and of auto scaling groups, whose replicas share it.
import { Button } from '../components/button.tsx';
import { Form, type Schema } from '../components/form.tsx';
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { Badge, Section, Time } from '../components/text.tsx';
import { perform, toast } from '../components/toast.tsx';
import { firstDatacenter, firstServer, scalingGroupHelp } from '../resources/client-commands/page-commands.ts';
import { stateText } from '../resources/words.ts';
import { Chosen } from './chosen.tsx';
import {
  datacentersPath,
  type GroupLook,
  groupsPath,
  type Load,
  type Machine,
  readGroup,
  readMachine,
  serversPath,
  setGroupLoad,
  setMachineLoad,
} from './lab-api.ts';
import { bytesText, loadOf, valuesOfLoad } from './lab-model.ts';

export const LoadPart = () => (
  <>
    <Section title="Machines" lead="The load appears in the metrics of the server, which alerts and auto scaling use.">
      <Chosen
        title="Datacenter"
        what="the datacenters"
        path={datacentersPath}
        empty="There are no datacenters yet. Create one with a server first."
        command={firstDatacenter}
      >
        {(datacenter) => (
          <Chosen
            title="Server"
            what="the servers"
            path={serversPath(datacenter)}
            empty="This datacenter has no servers. Create one first."
            command={firstServer(datacenter)}
          >
            {(server) => <MachineLoad id={server} />}
          </Chosen>
        )}
      </Chosen>
    </Section>
    <Section title="Auto scaling groups" lead="One load for the whole group, divided among its replicas.">
      <Chosen
        title="Group"
        what="the groups"
        path={groupsPath}
        empty="There are no auto scaling groups yet."
        command={scalingGroupHelp}
      >
        {(group) => <GroupLoad id={group} />}
      </Chosen>
    </Section>
  </>
);

const schemaOf = (mostPercent: number): Schema => ({
  properties: {
    cpuPercent: { type: 'number', title: 'CPU, percent', minimum: 0, maximum: mostPercent, width: 'short' },
    inKb: { type: 'number', title: 'Network in, kB/s', minimum: 0, maximum: 12_500_000, width: 'short' },
    outKb: { type: 'number', title: 'Network out, kB/s', minimum: 0, maximum: 12_500_000, width: 'short' },
  },
});

interface LoadFormProps {
  load: Load;
  mostPercent: number;
  save(load: Load): Promise<unknown>;
  onSaved(): Promise<void>;
}

const LoadForm = ({ load, mostPercent, save, onSaved }: LoadFormProps) => (
  <div class="lab-load">
    <Form
      key={JSON.stringify(load)}
      class="tall"
      schema={schemaOf(mostPercent)}
      values={valuesOfLoad(load)}
      submit="Set load"
      send={async (values) => {
        await save(loadOf(values));
        toast('Load set.');
        await onSaved();
      }}
    />
    <Button
      text="Clear load"
      look="plain"
      onPress={() =>
        perform(async () => {
          await save({});
          toast('Load cleared.');
          await onSaved();
        })
      }
    />
  </div>
);

function MachineLoad({ id }: { id: string }) {
  const machine = useResource<Machine>((signal) => readMachine(id, signal));
  return (
    <div class="panel">
      <Loaded resource={machine} what="the machine">
        {({ vmState, since, boots, load, usage }) => (
          <>
            <dl>
              <dt>Power</dt>
              <dd>
                <Badge look={vmState === 'RUNNING' ? 'good' : 'old'} text={stateText(vmState)} /> since{' '}
                <Time iso={since} />, {boots === 1 ? 'booted once' : `booted ${boots} times`}
              </dd>
              <dt>Last minute</dt>
              <dd>
                {usage.cpuPercent.toFixed(1)} % CPU, {bytesText(usage.networkInBytes)} in,{' '}
                {bytesText(usage.networkOutBytes)} out
              </dd>
            </dl>
            <LoadForm
              load={load}
              mostPercent={100}
              save={(one) => setMachineLoad(id, one)}
              onSaved={() => machine.reload()}
            />
          </>
        )}
      </Loaded>
    </div>
  );
}

const mostGroupPercent = 20_000;

function GroupLoad({ id }: { id: string }) {
  const group = useResource<GroupLook>((signal) => readGroup(id, signal));
  return (
    <div class="panel">
      <Loaded resource={group} what="the group">
        {(look) => (
          <>
            <dl>
              <dt>Replicas</dt>
              <dd>
                {look.replicas}, from {look.minReplicaCount} to {look.maxReplicaCount}
              </dd>
              <dt>Metric</dt>
              <dd>
                {look.metric}: {look.value === null ? 'not measured yet' : look.value.toFixed(1)} (in below{' '}
                {look.scaleInThreshold}, out above {look.scaleOutThreshold})
              </dd>
              {look.cooldownUntil !== null && (
                <>
                  <dt>Cooldown</dt>
                  <dd>
                    until <Time iso={look.cooldownUntil} />
                  </dd>
                </>
              )}
              <dt>Last actions</dt>
              <dd>
                {look.actions
                  .slice(0, 3)
                  .map(({ type, status }) => `${type} ${status}`)
                  .join(', ') || 'none'}
              </dd>
            </dl>
            <LoadForm
              load={look.load}
              mostPercent={mostGroupPercent}
              save={(one) => setGroupLoad(id, one)}
              onSaved={() => group.reload()}
            />
          </>
        )}
      </Loaded>
    </div>
  );
}
