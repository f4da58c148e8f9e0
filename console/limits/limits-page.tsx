// The limits page: usage of the contract's limits, and the maximum for a single resource.
import { CommandLine } from '../components/command-line.tsx';
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { Section } from '../components/text.tsx';
import { contractLimits } from '../resources/client-commands/page-commands.ts';
import type { PageProps } from '../router.ts';
import { LimitMeters } from './limit-meters.tsx';
import { boundsOf, limitsOf, readFigures } from './limits-model.ts';

export function LimitsPage({ facts: { machines } }: PageProps) {
  const figures = useResource(readFigures);
  return (
    <div class="limits">
      <h1 tabIndex={-1}>Limits</h1>
      <p class="lead">Usage of the contract’s limits. The operator of the region sets them.</p>
      <Loaded resource={figures} what="the limits">
        {(known) => (
          <>
            <section class="panel" aria-label="Usage">
              <LimitMeters limits={limitsOf(known)} />
            </section>
            <Section title="Per resource">
              <Bounds list={boundsOf(known)} />
            </Section>
            <Section title={`Machines: ${machines.engine}`}>
              <Bounds
                list={machines.abilities.map(([what, value]) => ({
                  title: `${what.charAt(0).toUpperCase()}${what.slice(1)}`,
                  value,
                }))}
              />
            </Section>
            <CommandLine text={contractLimits} />
          </>
        )}
      </Loaded>
    </div>
  );
}

const Bounds = ({ list }: { list: readonly { title: string; value: string }[] }) => (
  <dl class="panel limits-bounds">
    {list.map(({ title, value }) => (
      <div key={title}>
        <dt>{title}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
