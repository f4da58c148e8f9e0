// The buckets that the user may see. Facts that the list lacks are read for visible rows only.
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { type LongColumn, LongTable } from '../../components/long-table.tsx';
import { PageHead } from '../../components/page/page-head.tsx';
import { useResource } from '../../components/resource.ts';
import { Empty, Loaded } from '../../components/states.tsx';
import { useChanges } from '../../live.ts';
import { firstBucket } from '../../resources/client-commands/page-commands.ts';
import { refusalOf } from '../../rights/session-rights.ts';
import { go, type PageProps } from '../../router.ts';
import { dateText } from '../../times.ts';
import { bucketUrl, resourceUrl } from '../../urls.ts';
import { openBucketDeletion } from '../deletion/delete-bucket.tsx';
import { countText, numberText, sizeText } from '../keys.ts';
import { type Bucket, type BucketFacts, listBuckets } from '../s3/buckets.ts';
import { s3Path } from '../s3/s3.ts';
import { factsOf, forgetFacts, refreshFacts } from './bucket-facts.ts';
import { Flags } from './flags.tsx';
import { openNewBucket } from './new-bucket.tsx';

export function BucketsPage({ session }: PageProps) {
  const list = useResource(listBuckets);
  const filter = useSignal('');
  const reload = (): void => {
    forgetFacts();
    void list.reload();
  };
  useLayoutEffect(() => forgetFacts(), []);
  useChanges([s3Path({ bucket: '' })], () => void list.reload());
  return (
    <div class="ob-page">
      <PageHead title="Buckets" lead={`S3 object storage of contract ${session.contract}.`}>
        <a class="ob-link-button" href={resourceUrl('objectstorage', '/accesskeys')}>
          Access keys
        </a>
        <CreateButton />
      </PageHead>
      <Loaded resource={list} what="the buckets">
        {(buckets) =>
          buckets.length === 0 ? (
            <NoBuckets />
          ) : (
            <>
              <div class="bar">
                <p>{countText(buckets.length, 'bucket')}</p>
                <input
                  type="search"
                  class="ob-filter"
                  aria-label="Filter buckets by name"
                  placeholder="Filter by name"
                  value={filter.value}
                  onInput={({ currentTarget }) => {
                    filter.value = currentTarget.value;
                  }}
                />
              </div>
              <LongTable
                caption="Buckets"
                columns={columns(reload)}
                rows={buckets.filter(({ name }) => name.includes(filter.value.trim().toLowerCase()))}
                keyOf={({ name }) => name}
                labelOf={({ name }) => name}
                onOpen={({ name }) => go(bucketUrl(name))}
              />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

// The storage regions need the same privilege as the creation of a bucket.
const CreateButton = () => (
  <Button
    icon="plus"
    text="Create bucket"
    obstacle={refusalOf({ method: 'GET', path: '/objectstorage-management/regions' })}
    onPress={() => openNewBucket()}
  />
);

const NoBuckets = () => (
  <Empty text="There are no buckets yet. Create one here or on the command line:">
    <pre class="ob-command">{firstBucket}</pre>
    <CreateButton />
  </Empty>
);

const narrow = matchMedia('(max-width: 48rem)');

const columns = (reload: () => void): LongColumn<Bucket>[] => {
  const all: (LongColumn<Bucket> & { isWide?: boolean })[] = [
    {
      key: 'name',
      title: 'Name',
      least: 9,
      share: 1,
      cell: ({ name }) => <Name of={name} />,
    },
    { key: 'region', title: 'Region', least: 7.5, share: 0, isWide: true, cell: ({ region }) => region },
    {
      key: 'versions',
      title: 'Versions',
      least: 5.5,
      share: 0,
      isWide: true,
      cell: ({ name }) => <Fact of={name} text={({ objects }) => numberText(objects)} />,
    },
    {
      key: 'size',
      title: 'Size',
      least: 5.5,
      share: 0,
      cell: ({ name }) => <Fact of={name} text={({ bytes }) => sizeText(bytes)} />,
    },
    { key: 'settings', title: 'Settings', least: 13, share: 0, isWide: true, cell: ({ name }) => <Flags of={name} /> },
    {
      key: 'created',
      title: 'Created',
      least: 13.5,
      share: 0,
      isWide: true,
      cell: ({ created }) => (
        <time class="ob-quiet" dateTime={created}>
          {dateText(created)}
        </time>
      ),
    },
    {
      key: 'actions',
      title: 'Actions',
      least: 4.5,
      share: 0,
      cell: ({ name }) => (
        <span class="ob-actions">
          <IconButton icon="trash" label={`Delete bucket ${name}`} onPress={() => openBucketDeletion(name, reload)} />
        </span>
      ),
    },
  ];
  return all.filter(({ isWide }) => !isWide || !narrow.matches);
};

// Refreshes the facts of a visible bucket after its changes.
function Name({ of }: { of: string }) {
  useChanges([s3Path({ bucket: of })], () => refreshFacts(of));
  return <a href={bucketUrl(of)}>{of}</a>;
}

function Fact({ of, text }: { of: string; text(facts: BucketFacts): string }) {
  const facts = factsOf(of).value;
  if (!facts) return <span class="ob-skeleton" />;
  return <>{'error' in facts ? '–' : text(facts.value)}</>;
}
