// Charts of central monitoring in a region, or what is missing before there can be any.
import type { ComponentChildren } from 'preact';
import { Button } from '../../components/button.tsx';
import { useResource } from '../../components/resource.ts';
import { Empty, Loaded } from '../../components/states.tsx';
import { perform } from '../../components/toast.tsx';
import { chartsUrl } from '../../urls.ts';
import { centralOf, type Source, switchCentral } from '../sources.ts';

export interface CentralChartsProps {
  region: string;
  regions: readonly string[]; // those that there are
  what: string; // `the metrics of servers`
  children(source: Source): ComponentChildren;
}

export const CentralCharts = (props: CentralChartsProps) =>
  props.regions.includes(props.region) ? (
    <Charts {...props} />
  ) : (
    <Empty text={`There is no monitoring in ${props.region}.`} />
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
          <Empty text={`Central monitoring keeps ${what}, and is off in ${region}.`}>
            <p>
              <Button text="Switch it on" onPress={() => perform(() => switchOn(source))} />
            </p>
            <p>
              The first values come a minute later. <a href={chartsUrl(region)}>Monitoring in {region}</a>
            </p>
          </Empty>
        )
      }
    </Loaded>
  );
}
