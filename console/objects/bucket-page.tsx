// The page of a bucket: objects, unfinished uploads, settings and access.
import type { ComponentType } from 'preact';
import { Breadcrumbs } from '../components/page/breadcrumbs.tsx';
import { PageHead } from '../components/page/page-head.tsx';
import { Tabs } from '../components/tabs/tabs.tsx';
import { type PageProps, tab } from '../router.ts';
import { bucketsUrl, bucketUrl } from '../urls.ts';
import { ObjectsTab } from './browser/objects-tab.tsx';
import { UploadsTab } from './browser/uploads-tab.tsx';
import type { BucketTabProps } from './bucket-tab.ts';
import { BucketLead } from './buckets/flags.tsx';
import { useQuery } from './query.ts';
import { AccessTab } from './settings/access-tab.tsx';
import { SettingsTab } from './settings/settings-tab.tsx';
import { TransferPanel } from './transfer/transfer-panel.tsx';

const tabs: readonly { name: string; title: string; view: ComponentType<BucketTabProps> }[] = [
  { name: '', title: 'Objects', view: ObjectsTab },
  { name: 'uploads', title: 'Uploads', view: UploadsTab },
  { name: 'settings', title: 'Settings', view: SettingsTab },
  { name: 'access', title: 'Access', view: AccessTab },
];

export function BucketPage({ params: { bucket = '' }, session }: PageProps) {
  const query = useQuery();
  const current = tabs.find(({ name }) => name === tab.value) ?? tabs[0];
  const links = tabs.map(({ name, title }) => ({ name, title, url: bucketUrl(bucket, { tab: name }) }));
  const View = current?.view ?? ObjectsTab;
  return (
    <div class="ob-page">
      <Breadcrumbs crumbs={[{ text: 'Buckets', url: bucketsUrl() }]} />
      <PageHead title={bucket} look="ob-key" lead={<BucketLead key={bucket} bucket={bucket} />} />
      <Tabs label="Bucket" tabs={links} current={current?.name ?? ''} />
      <View key={bucket} bucket={bucket} query={query} session={session} />
      <TransferPanel />
    </div>
  );
}
