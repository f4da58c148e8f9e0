// What the contract uses of its limits, and what one thing may have at most.
import { CommandLine } from '../components/command-line.tsx';
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { Section } from '../components/text.tsx';
import { LimitMeters } from './limit-meters.tsx';
import { boundsOf, limitsOf, readFigures } from './limits-model.ts';

export function LimitsPage() {
  const figures = useResource(readFigures);
  return (
    <div class="limits">
      <h1 tabIndex={-1}>Limits</h1>
      <p class="lead">What the contract has, of what it may have. The operator of the region sets the limits.</p>
      <Loaded resource={figures} what="the limits">
        {(known) => (
          <>
            <section class="panel" aria-label="In use">
              <LimitMeters limits={limitsOf(known)} />
            </section>
            <Section title="Of one thing at most">
              <dl class="panel limits-bounds">
                {boundsOf(known).map(({ title, value }) => (
                  <div key={title}>
                    <dt>{title}</dt>
                    <dd>{value}</dd>
                  </div>
                ))}
              </dl>
            </Section>
            <CommandLine text="ionosctl compute contract get" />
          </>
        )}
      </Loaded>
    </div>
  );
}
