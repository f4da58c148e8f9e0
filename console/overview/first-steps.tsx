// The first steps in an empty region, each with its command.
import type { ComponentChildren } from 'preact';
import { CommandLine } from '../components/command-line.tsx';
import { advanceClockCommand, clientEnvironment, firstDatacenter } from '../resources/client-commands/page-commands.ts';
import { labUrl, resourceUrl, tokensUrl } from '../urls.ts';

export const FirstSteps = () => (
  <section class="panel overview-first" aria-label="First steps">
    <h2>First steps</h2>
    <ol>
      <Step title="Connect your clients" command={clientEnvironment}>
        Existing clients and SDKs work unchanged. For your own programs, create a <a href={tokensUrl()}>token</a>.
      </Step>
      <Step title="Create a datacenter" command={firstDatacenter}>
        It contains servers, networks and volumes.{' '}
        <a href={resourceUrl('cloudapi', '/datacenters/new')}>Create datacenter</a>
      </Step>
      <Step title="Try the lab" command={advanceClockCommand}>
        Move the clock, make operations fail and send packets in the <a href={labUrl()}>lab</a>.
      </Step>
    </ol>
  </section>
);

const Step = ({ title, command, children }: { title: string; command: string; children: ComponentChildren }) => (
  <li>
    <strong>{title}</strong>
    <p>{children}</p>
    <CommandLine text={command} />
  </li>
);
