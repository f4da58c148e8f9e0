// Charts of central monitoring in a region, or the step that is missing for them.
import type { ComponentChildren } from 'preact';
import { Button } from '../../components/button.tsx';
import { useResource } from '../../components/resource.ts';
import { Empty, Loaded } from '../../components/states.tsx';
import { perform } from '../../components/toast.tsx';
import { chartsUrl } from '../../urls.ts';
import { refusalIn } from '../refusal.ts';
import { centralOf, type Source, switchCentral } from '../sources.ts';

export interface CentralChartsProps {
  region: string;
  regions: readonly string[]; // all regions
  what: string; // `the metrics of servers`
  children(source: Source): ComponentChildren;
}

export const CentralCharts = (props: CentralChartsProps) =>
  props.regions.includes(props.region) ? (
    <Charts {...props} />
  ) : (
    <Empty text={`The region ${props.region} has no monitoring.`} />
  );

function Charts({ region, what, children }: CentralChartsProps) {
  const central = useResource((signal) => centralOf(region, signal));
  const switchOn = async ({ id }: Source): Promise<void> => {
    await switchCentral(region, { id }, true);
    await central.reload();
  };
  return (
    <Loaded resource={central} what="central monitoring">
      {(source) =>
        source.isOn ? (
          children(source)
        ) : (
          <Empty text={`Central monitoring collects ${what}. It is off in ${region}.`}>
            <p>
              <Button
                text="Switch on"
                obstacle={refusalIn(region, 'PUT', `/central/${source.id}`)}
                onPress={() => perform(() => switchOn(source))}
              />
            </p>
            <p>
              The first values appear after a minute. <a href={chartsUrl(region)}>Monitoring in {region}</a>
            </p>
          </Empty>
        )
      }
    </Loaded>
  );
}
