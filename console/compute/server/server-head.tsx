// The header of a server's page: power, addresses, image, size, price and load.
import type { ComponentChildren } from 'preact';
import type { Values } from '../../../src/base/values.ts';
import { useRefresh, useResource } from '../../components/resource.ts';
import { costOf } from '../../costs/estimate.ts';
import type { Line } from '../../plot/plot.ts';
import { Sparkline } from '../../plot/sparkline.tsx';
import { formatValue, type Unit } from '../../plot/units.ts';
import type { TabProps } from '../../resources/extension.ts';
import type { Item } from '../../resources/model.ts';
import { Reference } from '../../resources/value.tsx';
import { amountText, stateText } from '../../resources/words.ts';
import { resourceUrl } from '../../urls.ts';
import { addressesOf, imageOf, insideOf, storageOf } from '../list-facts.ts';
import { CopyButton } from './copy-button.tsx';
import { readLoad } from './load.ts';
import { powerOf } from './power.ts';

export function ServerHead({ item, path, facts }: TabProps) {
  const image = imageOf(item);
  const root = path.replace(/\/datacenters\/.*$/, '');
  const metrics = resourceUrl('cloudapi', path.slice(root.length), { tab: 'metrics' });
  return (
    <dl class="head-facts">
      <Fact title="Power">{stateText(powerOf(item)) || 'Unknown'}</Fact>
      <Fact title="Addresses">
        <Addresses addresses={addressesOf(item)} />
      </Fact>
      <Fact title="Image">
        {image === '' ? '–' : <Reference key={image} id={image} href={`${root}/images/${image}`} />}
      </Fact>
      <Fact title="Size">{sizeText(item)}</Fact>
      <Price item={item} />
      <Load id={item.id} path={path} regions={facts.regions} metrics={metrics} />
    </dl>
  );
}

const Fact = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);

const Addresses = ({ addresses }: { addresses: readonly string[] }) =>
  addresses.length === 0 ? (
    <>none</>
  ) : (
    <ul class="head-addresses">
      {addresses.map((address) => (
        <li key={address}>
          <code>{address}</code> <CopyButton text={address} />
        </li>
      ))}
    </ul>
  );

function sizeText(item: Item): string {
  const { cores, ram } = item.properties;
  const parts = [
    `${cores} ${cores === 1 ? 'core' : 'cores'}`,
    `${amountText('ram', Number(ram), 'MB')} RAM`,
    `${amountText('size', storageOf(item), 'GB')} storage`,
  ];
  return parts.join(' · ');
}

function Price({ item }: { item: Item }) {
  const volumes = insideOf(item, 'volumes').map(({ properties }) => ['volume', properties as Values] as const);
  const cost = costOf('server', item.properties as Values, volumes);
  return cost ? (
    <Fact title="Price">
      <span title="Running for 30 days, with its volumes">{`${cost.perMonth} ${cost.currency} a month`}</span>
    </Fact>
  ) : null;
}

const loadRefreshMs = 30_000; // products push once a minute

interface LoadProps {
  id: string;
  path: string;
  regions: readonly string[];
  metrics: string; // the address of the charts
}

function Load({ id, path, regions, metrics }: LoadProps) {
  const load = useResource((signal) => readLoad(path, id, regions, signal));
  useRefresh(load, loadRefreshMs);
  const { value: answer } = load.answer;
  if (!answer || 'error' in answer) return null; // the tab with the charts shows the reason
  const { isOn, cpu, network } = answer.value;
  if (!isOn)
    return (
      <Fact title="Load">
        <a href={metrics}>Switch on metrics</a>
      </Fact>
    );
  return (
    <>
      <LoadFact title="CPU" line={cpu} unit="percent" most={100} url={metrics} />
      <LoadFact title="Network" line={network} unit="byteRate" url={metrics} />
    </>
  );
}

interface LoadFactProps {
  title: string;
  line: Line | undefined;
  unit: Unit;
  most?: number;
  url: string;
}

function LoadFact({ title, line, unit, most, url }: LoadFactProps) {
  if (!line) return <Fact title={title}>no values yet</Fact>;
  const last = formatValue(line.last ?? 0, unit);
  return (
    <Fact title={title}>
      <a class="head-load" href={url}>
        <Sparkline label={`${title} in the last hour`} values={line.values} {...(most !== undefined && { most })} />
        {last}
      </a>
    </Fact>
  );
}
