// The lab page. If the lab is off or the user may not use it, the page shows why.
import type { ComponentType } from 'preact';
import { PageHead } from '../components/page/page-head.tsx';
import { Empty } from '../components/states.tsx';
import { Tabs } from '../components/tabs/tabs.tsx';
import type { PageProps } from '../router.ts';
import { labUrl } from '../urls.ts';
import { BrokersPart } from './brokers-part.tsx';
import { ClockPart } from './clock-part.tsx';
import { ContractsPart } from './contracts-part.tsx';
import { CopyPart } from './copy-part.tsx';
import { FaultsPart } from './faults-part.tsx';
import { LoadPart } from './load-part.tsx';
import { SavePointsPart } from './savepoints-part.tsx';
import { TrafficPart } from './traffic-part.tsx';

const parts: readonly (readonly [name: string, title: string, view: ComponentType<PageProps>])[] = [
  ['clock', 'Clock', ClockPart],
  ['faults', 'Faults', FaultsPart],
  ['load', 'Load', LoadPart],
  ['brokers', 'Brokers', BrokersPart],
  ['traffic', 'Traffic', TrafficPart],
  ['savepoints', 'Save points', SavePointsPart],
  ['contracts', 'Contracts', ContractsPart],
  ['copy', 'Copy', CopyPart],
];

export function LabPage(props: PageProps) {
  const { params, session, facts } = props;
  const requested = params.part ?? 'clock';
  const [name, , View] = parts.find(([one]) => one === requested) ?? (parts[0] as (typeof parts)[number]);
  const why = refusalOf(facts, session.role);
  return (
    <div class="lab">
      <PageHead title="Lab" lead="Move the clock, make operations fail, put load on machines, and send packets." />
      {why !== undefined ? (
        <Empty text={why} />
      ) : (
        <>
          <Tabs
            label="Parts of the lab"
            current={name}
            tabs={parts.map(([one, title]) => ({ name: one, title, url: labUrl(one) }))}
          />
          <View {...props} />
        </>
      )}
    </div>
  );
}

function refusalOf(facts: PageProps['facts'], role: PageProps['session']['role']): string | undefined {
  if (!facts.services.some(({ name }) => name === 'lab'))
    return 'The lab is off, because the region was started with --no-lab.';
  if (role === 'user') return 'The lab is for owners and administrators of the contract.';
  return undefined;
}
