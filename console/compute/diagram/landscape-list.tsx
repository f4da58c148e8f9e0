// The content of the diagram as tables, for screen readers and for searching by name.
import { Table } from '../../components/table.tsx';
import { Badge, type BadgeProps, Noted, Section } from '../../components/text.tsx';
import { volumeText } from './cards.ts';
import {
  balancerTitles,
  counted,
  type Landscape,
  type Look,
  lookOf,
  type Server,
  sizeText,
  stateOf,
  stateText,
} from './landscape.ts';
import { type Rates, rateOfInterfaces, rateText } from './live-traffic.ts';

export interface LandscapeListProps {
  landscape: Landscape;
  rates: Rates;
  urlOf(path: string): string;
}

export function LandscapeList({ landscape, rates, urlOf }: LandscapeListProps) {
  const { lans, servers, volumes, gateways, balancers, crossConnects } = landscape;
  const lanNames = new Map(lans.map(({ id, name }) => [id, name]));
  const named = (ids: readonly string[]): string => ids.map((id) => lanNames.get(id) ?? `LAN ${id}`).join(', ');
  const linked = ({ name, path }: { name: string; path: string }) => <a href={urlOf(path)}>{name}</a>;
  const devices = [
    ...gateways.map((one) => ({ ...one, kind: 'NAT gateway', addresses: one.publicIps, in: named(one.lans) })),
    ...balancers.map((one) => ({
      ...one,
      kind: balancerTitles[one.kind],
      addresses: one.ips,
      in: named([...(one.listener === '' ? [] : [one.listener]), ...one.targets]),
    })),
    ...crossConnects.map((one) => ({
      ...one,
      kind: 'Cross connect',
      addresses: [],
      in: named(lans.filter(({ crossConnect }) => crossConnect === one.id).map(({ id }) => id)),
    })),
  ];
  return (
    <div class="dc-list">
      {lans.length > 0 && (
        <Section title="LANs">
          <Table
            caption="LANs"
            rows={lans}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Name', cell: (one) => linked(one) },
              { title: 'Number', cell: ({ id }) => id },
              { title: 'Kind', cell: ({ isPublic }) => (isPublic ? 'public' : 'private') },
              { title: 'Networks', cell: ({ ipv4, ipv6 }) => [ipv4, ipv6].filter(Boolean).join(', ') || '–' },
              {
                title: 'Servers',
                cell: ({ id }) => servers.filter(({ nics }) => nics.some(({ lan }) => lan === id)).length,
              },
            ]}
          />
        </Section>
      )}
      {servers.length > 0 && (
        <Section title="Servers">
          <Table
            caption="Servers"
            rows={servers}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Name', cell: (one) => linked(one) },
              { title: 'State', cell: (server) => <State server={server} /> },
              { title: 'Size', cell: (one) => sizeText(one) },
              {
                title: 'NICs',
                cell: ({ nics }) =>
                  nics.length === 0
                    ? 'none'
                    : nics.map((nic) => (
                        <Noted key={nic.id} note={`${named([nic.lan])}; ${nic.firewall}`}>
                          <a href={urlOf(nic.path)}>{nic.ips[0] ?? nic.name}</a>{' '}
                        </Noted>
                      )),
              },
              {
                title: 'Volumes',
                cell: ({ volumes: own }) => own.map((one) => volumeText(one)).join(', ') || 'none',
              },
              {
                title: 'Traffic',
                cell: ({ nics }) => {
                  const rate = rateOfInterfaces(rates, nics);
                  return rate ? rateText(rate) : '–';
                },
              },
            ]}
          />
        </Section>
      )}
      {devices.length > 0 && (
        <Section title="Gateways and balancers">
          <Table
            caption="Gateways, balancers and cross connects"
            rows={devices}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Name', cell: (one) => linked(one) },
              { title: 'Kind', cell: ({ kind }) => kind },
              { title: 'Addresses', cell: ({ addresses }) => addresses.join(', ') || '–' },
              { title: 'LANs', cell: (one) => one.in || '–' },
            ]}
          />
        </Section>
      )}
      {volumes.length > 0 && (
        <Section title="Unattached volumes" lead={`${counted(volumes.length, 'volume')} not attached to any server.`}>
          <Table
            caption="Unattached volumes"
            rows={volumes}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Name', cell: (one) => linked(one) },
              { title: 'Size', cell: (one) => volumeText(one) },
            ]}
          />
        </Section>
      )}
    </div>
  );
}

const badges: Record<Look, BadgeProps['look']> = { good: 'good', waits: 'waits', off: 'old', failed: 'fires' };

function State({ server }: { server: Server }) {
  const state = stateOf(server);
  return <Badge look={badges[lookOf(state)]} text={stateText(state)} />;
}
