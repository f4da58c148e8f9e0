// Shown above a server's properties: its addresses with their LANs, and its volumes with their images.
import { useMemo } from 'preact/hooks';
import { call } from '../../api.ts';
import { Resource } from '../../components/fetched.ts';
import { useAbortSignal } from '../../components/resource.ts';
import { Loaded } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { Noted, Section } from '../../components/text.tsx';
import type { TabProps } from '../../resources/extension.ts';
import type { Item } from '../../resources/model.ts';
import { useFresh } from '../../resources/use-fresh.ts';
import { Reference } from '../../resources/value.tsx';
import { resourceUrl } from '../../urls.ts';
import { type AttachedNic, type AttachedVolume, attachedOf } from './attached.ts';

const mostLans = 1000;

export function AttachedSection({ item, path }: TabProps) {
  const [, datacenter = path, own = ''] = /^(.*(\/datacenters\/[^/]+))/.exec(path) ?? [];
  const ending = useAbortSignal();
  const lans = useMemo(
    () =>
      new Resource(
        (signal) => call<{ items: Item[] }>('GET', `${datacenter}/lans?depth=1&limit=${mostLans}`, { signal }),
        ending,
      ),
    [],
  );
  useFresh([`${datacenter}/lans`], () => lans.reload(), false);
  return (
    <Loaded resource={lans} what="the LANs">
      {({ items }) => {
        const { nics, volumes } = attachedOf(own, item, items);
        return (
          <>
            <Nics nics={nics} />
            <Volumes volumes={volumes} root={datacenter.slice(0, datacenter.length - own.length)} />
          </>
        );
      }}
    </Loaded>
  );
}

const Nics = ({ nics }: { nics: readonly AttachedNic[] }) => (
  <Section title="Addresses" {...(nics.length === 0 && { lead: 'The server has no NIC, so it can’t be reached.' })}>
    {nics.length > 0 && (
      <Table
        caption="Addresses"
        rows={nics}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Address', look: 'code', cell: ({ ips }) => ips.join(', ') || '–' },
          {
            title: 'LAN',
            cell: ({ lan }) => (
              <Noted note={lan.isPublic ? 'public' : 'private'}>
                <a href={resourceUrl('cloudapi', lan.path)}>{lan.name}</a>
              </Noted>
            ),
          },
          { title: 'NIC', cell: ({ name, path }) => <a href={resourceUrl('cloudapi', path)}>{name}</a> },
        ]}
      />
    )}
  </Section>
);

const Volumes = ({ volumes, root }: { volumes: readonly AttachedVolume[]; root: string }) => (
  <Section title="Volumes" {...(volumes.length === 0 && { lead: 'The server has no volume.' })}>
    {volumes.length > 0 && (
      <Table
        caption="Volumes"
        rows={volumes}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Volume',
            cell: ({ name, path, isBoot }) => (
              <Noted note={isBoot && 'boot volume'}>
                <a href={resourceUrl('cloudapi', path)}>{name}</a>
              </Noted>
            ),
          },
          {
            title: 'Image',
            cell: ({ image }) =>
              image === '' ? '–' : <Reference key={image} id={image} href={`${root}/images/${image}`} />,
          },
          { title: 'Size', cell: ({ sizeGb }) => `${sizeGb.toLocaleString('en')} GB` },
        ]}
      />
    )}
  </Section>
);
