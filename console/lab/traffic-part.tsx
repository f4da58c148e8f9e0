// Sends packets through the network of a datacenter and explains their way step by step. They are counted in flows and
// bills like real traffic.
import { useSignal } from '@preact/signals';
import { CommandLine } from '../components/command-line.tsx';
import { Choice, Labelled } from '../components/field.tsx';
import { useResource } from '../components/resource.ts';
import { Empty, Failure, Loaded } from '../components/states.tsx';
import { Section } from '../components/text.tsx';
import { type Landscape, unreadLandscape } from '../compute/diagram/landscape.ts';
import { type Found, readLandscape } from '../compute/diagram/read-landscape.ts';
import { canSendReal, endsOf } from '../compute/reach/question.ts';
import { RealPacket, Verdict } from '../compute/reach/reach-panel.tsx';
import { stepsOf, type VerdictView } from '../compute/reach/verdict.ts';
import { firstDatacenter, trafficHelp } from '../resources/client-commands/page-commands.ts';
import type { PageProps } from '../router.ts';
import { resourceUrl } from '../urls.ts';
import { Chosen } from './chosen.tsx';
import { datacentersPath, type Summary, sendTraffic } from './lab-api.ts';
import { packetOf, type Sending, usualSending } from './lab-model.ts';

export const TrafficPart = (props: PageProps) => (
  <Section
    title="Traffic"
    lead="Sends packets from a NIC or from outside, and explains their way hop by hop. They count in flow logs and bills."
  >
    <Chosen
      title="Datacenter"
      what="the datacenters"
      path={datacentersPath}
      empty="There are no datacenters yet. Create one first."
      command={firstDatacenter}
    >
      {(datacenter) => <Traffic datacenter={datacenter} canSend={canSendReal(props)} />}
    </Chosen>
  </Section>
);

function Traffic({ datacenter, canSend }: { datacenter: string; canSend: boolean }) {
  const found = useResource<Found>((signal) => readLandscape(`/cloudapi/v6/datacenters/${datacenter}`, signal));
  return (
    <Loaded resource={found} what="the network">
      {(value) => (
        <Sender
          canSend={canSend}
          landscape={'landscape' in value ? value.landscape : unreadLandscape(`/datacenters/${datacenter}`)}
          isCrowded={'crowd' in value}
        />
      )}
    </Loaded>
  );
}

type Outcome = VerdictView | Summary;

const protocols = ['TCP', 'UDP', 'ICMP'].map((one) => [one, one] as const);

interface SenderProps {
  canSend: boolean; // real packets
  landscape: Landscape;
  isCrowded: boolean;
}

function Sender({ canSend, landscape, isCrowded }: SenderProps) {
  const sending = useSignal<Sending>(usualSending);
  const outcome = useSignal<Outcome | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const isSending = useSignal(false);
  const isReal = useSignal(false);
  const { from, to } = endsOf(landscape);
  const change = (more: Partial<Sending>): void => {
    sending.value = { ...sending.value, ...more };
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    failure.value = undefined;
    try {
      outcome.value = await sendTraffic({
        ...packetOf(sending.value, landscape),
        ...(isReal.value && { real: true }),
      });
    } catch (error) {
      outcome.value = undefined;
      failure.value = error;
    }
    isSending.value = false;
  };
  const { protocol } = sending.value;
  const text = (title: string, name: keyof Sending, disabled = false) => (
    <Labelled title={title}>
      {(id) => (
        <input
          id={id}
          autocomplete="off"
          spellcheck={false}
          disabled={disabled}
          value={sending.value[name]}
          onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
        />
      )}
    </Labelled>
  );
  const choice = (title: string, name: keyof Sending, options: readonly (readonly [string, string])[]) => (
    <Labelled title={title}>
      {(id) => (
        <Choice id={id} value={sending.value[name]} options={options} onChange={(value) => change({ [name]: value })} />
      )}
    </Labelled>
  );
  return (
    <div class="lab-traffic">
      <form class="panel" onSubmit={(event) => void send(event)} noValidate>
        {isCrowded && <p class="lab-note">There are too many servers to list. Type addresses instead.</p>}
        {choice('From', 'from', from)}
        {sending.value.from === '' && text('From address', 'fromAddress')}
        {choice('To', 'to', to)}
        {sending.value.to === '' && text('To address', 'toAddress')}
        <div class="lab-trio">
          {choice('Protocol', 'protocol', protocols)}
          {text('Port', 'port', protocol === 'ICMP')}
          {text('Packets', 'count')}
        </div>
        {protocol === 'TCP' && text('HTTP path (optional)', 'path')}
        {canSend && <RealPacket isReal={isReal} />}
        <button type="submit" aria-disabled={isSending.value || undefined}>
          Send
        </button>
      </form>
      <div class="panel lab-outcome" aria-live="polite">
        {failure.value !== undefined && <Failure title="The packet was not sent." error={failure.value} />}
        {outcome.value && <OutcomeView outcome={outcome.value} landscape={landscape} />}
        {!outcome.value && failure.value === undefined && (
          <Empty text="The way of the packet is shown here after you send it.">
            <CommandLine text={trafficHelp} />
          </Empty>
        )}
      </div>
    </div>
  );
}

const urlOf = (path: string): string => resourceUrl('cloudapi', path);

function OutcomeView({ outcome, landscape }: { outcome: Outcome; landscape: Landscape }) {
  if (!('outcomes' in outcome)) return <Verdict verdict={outcome} steps={stepsOf(outcome, landscape)} urlOf={urlOf} />;
  return (
    <>
      <p>
        {outcome.sent} sent: {outcome.accepted} got there, {outcome.rejected} were stopped.
      </p>
      {outcome.outcomes.map((one, at) => (
        <section key={at} aria-label={`Outcome ${at + 1}`}>
          <h3>{one.count} ×</h3>
          <Verdict verdict={one} steps={stepsOf(one, landscape)} urlOf={urlOf} />
        </section>
      ))}
    </>
  );
}
