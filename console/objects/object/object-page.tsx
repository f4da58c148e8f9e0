// The page of an object or one of its versions: preview, properties, headers, tags, lock and versions.
import { Button } from '../../components/button.tsx';
import { HeadActions, PageHead } from '../../components/page/page-head.tsx';
import { useResource } from '../../components/resource.ts';
import { Loaded } from '../../components/states.tsx';
import { Badge, Section, Time } from '../../components/text.tsx';
import { go, type PageProps } from '../../router.ts';
import { bucketsUrl, bucketUrl } from '../../urls.ts';
import { deleteEntries, downloadEntries } from '../browser/entry-actions.tsx';
import { countText, crumbsOf, folderOf, nameIn, sizeText, visible } from '../keys.ts';
import { useQuery } from '../query.ts';
import { type Named, type ObjectFacts, objectFacts } from '../s3/objects.ts';
import { TagsSection } from '../settings/tags-section.tsx';
import { TransferPanel } from '../transfer/transfer-panel.tsx';
import { HeadersSection } from './headers-section.tsx';
import { LockSection } from './lock-section.tsx';
import { Preview } from './preview.tsx';
import { openShare } from './share-dialog.tsx';
import { VersionsSection } from './versions-section.tsx';

export function ObjectPage(props: PageProps) {
  const { bucket = '' } = props.params;
  const query = useQuery();
  const key = query.values.value.get('key') ?? '';
  const versionId = query.values.value.get('version') ?? undefined;
  const folder = folderOf(key);
  return (
    <div class="ob-page">
      <nav class="ob-crumbs" aria-label="Breadcrumbs">
        <a href={bucketsUrl()}>Buckets</a>
        <span class="ob-slash">/</span>
        <a href={bucketUrl(bucket)}>{bucket}</a>
        {crumbsOf(folder).map((crumb) => (
          <span key={crumb.prefix}>
            <span class="ob-slash">/</span>
            <a class="ob-key" href={bucketUrl(bucket, { prefix: crumb.prefix })}>
              {visible(crumb.name)}
            </a>
          </span>
        ))}
      </nav>
      <PageHead title={visible(nameIn(folder, key))} look="ob-key" />
      <ObjectView key={`${versionId} ${key}`} {...props} object={{ bucket, key, versionId }} />
      <TransferPanel />
    </div>
  );
}

function ObjectView({ object, session }: PageProps & { object: Named }) {
  const { bucket, key, versionId } = object;
  const facts = useResource((signal) => objectFacts(object, signal));
  const reload = (): void => void facts.reload();
  const back = (): void => go(bucketUrl(bucket, { prefix: folderOf(key) }));
  return (
    <>
      <Loaded resource={facts} what="the object">
        {(known) => (
          <>
            <HeadActions>
              <Button text="Share" look="plain" onPress={() => openShare(object, session)} />
              <Button
                text="Delete"
                look="danger"
                onPress={() => {
                  const entry = { kind: 'object' as const, key, size: 0, modified: '', etag: '' };
                  deleteEntries(bucket, [{ ...entry, ...(versionId && { versionId }) }], versionId !== undefined, back);
                }}
              />
              <Button
                text="Download"
                onPress={() =>
                  downloadEntries(bucket, [
                    { kind: 'object', key, versionId: versionId ?? '', size: known.size, modified: '', etag: '' },
                  ])
                }
              />
            </HeadActions>
            <div class="ob-columns">
              <Section title="Preview">
                <Preview object={object} facts={known} />
              </Section>
              <Section title="Properties">
                <Properties facts={known} isLatest={versionId === undefined} />
              </Section>
            </div>
            <HeadersSection object={object} facts={known} reload={reload} />
            <TagsSection place={object} most={10} />
            <LockSection object={object} facts={known} reload={reload} />
          </>
        )}
      </Loaded>
      <VersionsSection bucket={bucket} objectKey={key} reload={reload} />
    </>
  );
}

const Properties = ({ facts, isLatest }: { facts: ObjectFacts; isLatest: boolean }) => (
  <dl class="ob-facts">
    <dt>Size</dt>
    <dd>
      {sizeText(facts.size)} <small>{countText(facts.size, 'byte')}</small>
    </dd>
    <dt>Type</dt>
    <dd>{facts.type}</dd>
    <dt>Modified</dt>
    <dd>{facts.modified && <Time iso={facts.modified} />}</dd>
    <dt>Entity tag</dt>
    <dd>
      <code>{facts.etag}</code>
    </dd>
    {facts.versionId !== undefined && (
      <>
        <dt>Version</dt>
        <dd>
          <code>{facts.versionId}</code> {isLatest && <Badge look="good" text="Latest" />}
        </dd>
      </>
    )}
    {facts.encryption !== undefined && (
      <>
        <dt>Encryption</dt>
        <dd>{facts.encryption}</dd>
      </>
    )}
    {facts.expiration !== undefined && (
      <>
        <dt>Expires</dt>
        <dd>{facts.expiration}</dd>
      </>
    )}
  </dl>
);
