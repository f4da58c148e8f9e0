// The page of a bucket: objects, unfinished uploads, settings and access.
import type { ComponentType } from 'preact';
import type { PageProps } from '../router.ts';
import { bucketsUrl, bucketUrl } from '../urls.ts';
import { ObjectsTab } from './browser/objects-tab.tsx';
import { UploadsTab } from './browser/uploads-tab.tsx';
import type { BucketTabProps } from './bucket-tab.ts';
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
  const named = query.values.value.get('tab') ?? '';
  const current = tabs.find(({ name }) => name === named) ?? tabs[0];
  const View = current?.view ?? ObjectsTab;
  return (
    <div class="ob-page">
      <nav class="ob-crumbs" aria-label="Breadcrumbs">
        <a href={bucketsUrl()}>Buckets</a>
      </nav>
      <h1 tabIndex={-1} class="ob-key">
        {bucket}
      </h1>
      <nav class="ob-tabs" aria-label="Bucket">
        {tabs.map(({ name, title }) => (
          <a
            key={name}
            href={bucketUrl(bucket, { tab: name })}
            aria-current={current?.name === name ? 'page' : undefined}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              query.go({ tab: name });
            }}
          >
            {title}
          </a>
        ))}
      </nav>
      <View key={bucket} bucket={bucket} query={query} session={session} />
      <TransferPanel />
    </div>
  );
}
