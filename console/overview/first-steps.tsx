// What to do in an empty region, each step with the same by the command line.
import type { ComponentChildren } from 'preact';
import { CommandLine } from '../components/command-line.tsx';
import { labUrl, resourceUrl, tokensUrl } from '../urls.ts';

export const FirstSteps = () => (
  <section class="panel overview-first" aria-label="First steps">
    <h2>First steps</h2>
    <ol>
      <Step title="Let your clients talk to this region" command={'eval "$(./cumulet env --proxy)"'}>
        Existing clients and SDKs work unchanged. Or make a <a href={tokensUrl()}>token</a> for your own.
      </Step>
      <Step title="Make a datacenter" command="ionosctl compute datacenter create --name first --location de/txl">
        It holds servers, networks and volumes. <a href={resourceUrl('cloudapi', '/datacenters/new')}>Make one here</a>
      </Step>
      <Step title="Try what no real cloud offers" command="./cumulet lab clock --advance 1d">
        Move the time, let things fail, send packets: in the <a href={labUrl()}>lab</a>.
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
