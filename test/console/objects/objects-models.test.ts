// The models of the bucket pages: displayed keys, transfers, deletions, rules and policies.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ApiError } from '../../../console/api.ts';
import { EntryList, idOf } from '../../../console/objects/browser/entry-list.ts';
import { Deletion, type DeletionCalls } from '../../../console/objects/deletion/deletion.ts';
import { crumbsOf, fileNameOf, folderOf, sizeText, visible } from '../../../console/objects/keys.ts';
import { previewKind } from '../../../console/objects/object/preview-kind.ts';
import { actionsOf, type LifecycleRule, ruleContent } from '../../../console/objects/s3/lifecycle.ts';
import type { Entry, ListRequest, Page } from '../../../console/objects/s3/listing.ts';
import { withRetries } from '../../../console/objects/s3/retry.ts';
import { isWritable, writeXml } from '../../../console/objects/s3/xml.ts';
import { pairsIn } from '../../../console/objects/settings/pairs.ts';
import { policyProblem } from '../../../console/objects/settings/policy.ts';
import { Transfers } from '../../../console/objects/transfer/transfers.ts';
import { partsOf } from '../../../console/objects/transfer/upload-plan.ts';
import { until } from '../../../src/testing/waiting.ts';

suite('keys', () => {
  test('have folders, a file name, and no invisible characters', () => {
    assert.deepEqual(
      crumbsOf('a//b/').map(({ name, prefix }) => `${name}=${prefix}`),
      ['a=a/', '=a//', 'b=a//b/'],
    );
    assert.deepEqual([folderOf('a/b/c'), folderOf('a/b/'), folderOf('c')], ['a/b/', 'a/', '']);
    assert.equal(fileNameOf('x/\u202egnp.exe'), '_gnp.exe');
    assert.equal(fileNameOf('../..'), '..');
    assert.equal(fileNameOf('a/'), 'a_');
    assert.equal(visible(' a\u202eb\0 '), '␣a⟨202E⟩b⟨00⟩␣');
    assert.deepEqual([0, 999, 1500, 20_971_520, 3e12].map(sizeText), ['0 B', '999 B', '1.5 KB', '21.0 MB', '3.0 TB']);
    assert.ok(isWritable('ü\n<') && !isWritable('\u0001') && !isWritable('\ud800'));
  });
});

suite('transfers', () => {
  test('large files are split into parts that S3 accepts', () => {
    const mib = 1024 * 1024;
    assert.equal(partsOf(16 * mib), undefined);
    assert.deepEqual(
      partsOf(20 * mib)?.map(({ from, to }) => (to - from) / mib),
      [8, 8, 4],
    );
    const most = partsOf(5 * 1024 ** 4) ?? [];
    assert.ok(most.length <= 10_000 && most.at(-1)?.to === 5 * 1024 ** 4);
  });

  test('run a few at once, and can be cancelled and tried again', async () => {
    const transfers = new Transfers(2);
    const ends = new Map<string, (error?: Error) => void>();
    const plan = (key: string) => ({
      kind: 'upload' as const,
      bucket: 'b',
      key,
      size: 10,
      carry: (report: (bytes: number) => void, signal: AbortSignal) => {
        report(5);
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => reject(signal.reason));
        ends.set(key, (error) => (error ? reject(error) : resolve()));
        return promise;
      },
    });
    transfers.add(['a', 'b', 'c', 'd'].map(plan));
    const states = (): string => transfers.all.value.map(({ state }) => state.value).join(' ');
    assert.equal(states(), 'runs runs waits waits');
    assert.equal(transfers.summary.value.bytes, 10);
    const [, b, c] = transfers.all.value;
    c?.cancel();
    b?.cancel();
    ends.get('a')?.();
    const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    await settled();
    assert.equal(states(), 'done cancelled cancelled runs');
    ends.get('d')?.(new ApiError(403, [{ errorCode: 'AccessDenied', message: 'Access Denied' }]));
    await settled();
    assert.equal(transfers.all.value[3]?.problem.value, 'Access Denied');
    if (b) transfers.retry(b);
    ends.get('b')?.();
    await settled();
    assert.equal(states(), 'done done cancelled failed');
    assert.equal(transfers.finished.value, 2);
  });

  test('slow down if the region asks for it', async () => {
    const pauses: number[] = [];
    const wait = async (ms: number): Promise<void> => void pauses.push(ms);
    let calls = 0;
    const busy = (): Promise<string> =>
      ++calls < 3 ? Promise.reject(new ApiError(503, [])) : Promise.resolve('through');
    assert.equal(await withRetries(busy, undefined, wait), 'through');
    assert.deepEqual(pauses, [500, 1000]);
    await assert.rejects(
      withRetries(() => Promise.reject(new ApiError(403, [])), undefined, wait),
      { status: 403 },
    );
  });
});

const entry = (key: string, versionId?: string): Entry => ({
  kind: 'object',
  key,
  size: 1,
  modified: '',
  etag: '',
  ...(versionId !== undefined && { versionId }),
});

suite('the deletion of a bucket', () => {
  // A bucket with versions, listed by pages of two.
  const bucketOf = (versions: string[], locked: string[] = []) => {
    const done: string[] = [];
    const calls: DeletionCalls = {
      listObjects: () => assert.fail('versions are listed'),
      async listVersions({ after }: ListRequest): Promise<Page<Entry>> {
        const from = after === undefined ? 0 : versions.indexOf(after) + 1;
        assert.ok(after === undefined || versions.includes(after), 'a page begins behind a version that is there');
        const items = versions.slice(from, from + 2);
        return { items: items.map((id) => entry('k', id)), next: from + 2 < versions.length ? items[1] : undefined };
      },
      listUploads: async () => ({ items: [{ key: 'u', uploadId: 'one', started: '' }], next: undefined }),
      async removeObjects(_bucket, all) {
        const gone = all.filter(({ versionId = '' }) => !locked.includes(versionId));
        for (const { versionId = '' } of gone) versions.splice(versions.indexOf(versionId), 1);
        return all.filter((one) => !gone.includes(one)).map((one) => ({ ...one, message: 'locked' }));
      },
      abortUpload: async (_bucket, _key, id) => void done.push(`abort ${id}`),
      deleteBucket: async () => void done.push('bucket'),
    };
    return { calls, done, versions };
  };

  test('includes all versions and uploads', async () => {
    const { calls, done, versions } = bucketOf(['1', '2', '3', '4', '5']);
    const deletion = new Deletion({ bucket: 'b', withBucket: true }, calls);
    await deletion.run();
    assert.deepEqual([deletion.state.value, deletion.removed.value, versions], ['done', 5, []]);
    assert.deepEqual(done, ['abort one', 'bucket']);
  });

  test('skips locked versions, reports them, and keeps the bucket', async () => {
    const { calls, done, versions } = bucketOf(['1', '2', '3', '4', '5'], ['1', '2', '4']);
    const deletion = new Deletion({ bucket: 'b', withBucket: true }, calls);
    await deletion.run();
    assert.deepEqual([deletion.state.value, deletion.removed.value, versions], ['failed', 2, ['1', '2', '4']]);
    assert.equal(deletion.failed.value[0]?.message, 'locked');
    assert.ok(!done.includes('bucket'));
  });

  test('stops when it is cancelled', async () => {
    const { calls, done } = bucketOf(['1', '2', '3']);
    const deletion = new Deletion({ bucket: 'b', withBucket: true }, calls);
    const running = deletion.run();
    deletion.cancel();
    await running;
    assert.equal(deletion.state.value, 'cancelled');
    assert.deepEqual(done, []);
  });
});

suite('a list of objects', () => {
  test('is loaded in pages and keeps the selection', async () => {
    const all = Array.from({ length: 1200 }, (_, at) => entry(`f/${String(at).padStart(4, '0')}`));
    const cursors: (string | undefined)[] = [];
    const list = new EntryList(async ({ after }) => {
      cursors.push(after);
      const from = Number(after ?? 0);
      return { items: all.slice(from, from + 500), next: from + 500 < 1200 ? String(from + 500) : undefined };
    });
    await list.open({ bucket: 'b', prefix: 'f/' });
    assert.equal(list.entries.value.length, 500);
    list.more();
    list.more(); // a page is already being loaded
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(cursors, [undefined, '500']);
    list.choose(list.entries.value.slice(3, 7).map(idOf), true);
    list.choose(list.entries.value.slice(4, 5).map(idOf), false);
    assert.deepEqual(
      list.chosenEntries.map(({ key }) => key),
      ['f/0003', 'f/0005', 'f/0006'],
    );
    await list.refresh();
    assert.equal(list.entries.value.length, 1000, 'as far as it was loaded');
    assert.equal(list.chosen.value.size, 3);
  });

  test('reloads after changes without getting shorter in the meantime, and again after further changes', async () => {
    let all = Array.from({ length: 8 }, (_, at) => entry(`f/${at}`));
    let calls = 0;
    const list = new EntryList(async ({ after }) => {
      calls++;
      await new Promise((resolve) => setImmediate(resolve));
      const from = Number(after ?? 0);
      return { items: all.slice(from, from + 4), next: from + 4 < all.length ? String(from + 4) : undefined };
    });
    await list.open({ bucket: 'b', prefix: 'f/' });
    list.more();
    await until('the list is loaded', () => !list.isBusy.value);
    const lengths = new Set<number>();
    const stop = list.entries.subscribe((entries) => lengths.add(entries.length));
    calls = 0;
    all = [entry('f/new'), ...all];
    const following = list.follow();
    await list.follow(); // a change happened during the request
    await following;
    stop();
    assert.deepEqual([...lengths], [8]);
    assert.equal(list.entries.value[0]?.key, 'f/new');
    assert.equal(calls, 4, 'two pages, twice');
  });

  test('reloads after a change that happened while it was opened', async () => {
    let all = [entry('f/old')];
    const list = new EntryList(async () => {
      const items = all;
      await new Promise((resolve) => setImmediate(resolve));
      return { items, next: undefined };
    });
    const opening = list.open({ bucket: 'b', prefix: 'f/' });
    all = [entry('f/new')];
    await list.follow();
    await opening;
    assert.deepEqual(
      list.entries.value.map(({ key }) => key),
      ['f/new'],
    );
  });
});

suite('settings of a bucket', () => {
  const rule: LifecycleRule = {
    id: 'r',
    isEnabled: true,
    prefix: 'logs/',
    tags: { kind: 'a<b' },
    largerThan: undefined,
    smallerThan: undefined,
    expireDays: 30,
    expireDate: undefined,
    removesMarkers: false,
    noncurrentDays: 7,
    keepNewer: 3,
    abortDays: 1,
  };

  test('lifecycle rules become XML that S3 accepts', () => {
    const filter = '<Filter><And><Prefix>logs/</Prefix><Tag><Key>kind</Key><Value>a&lt;b</Value></Tag></And></Filter>';
    assert.equal(
      writeXml('Rule', ruleContent(rule)),
      `<Rule><ID>r</ID>${filter}<Status>Enabled</Status><Expiration><Days>30</Days></Expiration>` +
        '<NoncurrentVersionExpiration><NoncurrentDays>7</NoncurrentDays><NewerNoncurrentVersions>3' +
        '</NewerNoncurrentVersions></NoncurrentVersionExpiration><AbortIncompleteMultipartUpload>' +
        '<DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule>',
    );
    assert.match(writeXml('Rule', ruleContent({ ...rule, tags: {} })), /<Filter><Prefix>logs\/<\/Prefix><\/Filter>/);
    assert.match(
      writeXml('Rule', ruleContent({ ...rule, tags: {}, prefix: '' })),
      /<Filter><Prefix><\/Prefix><\/Filter>/,
    );
    assert.equal(actionsOf(rule).length, 3);
  });

  test('invalid JSON and invalid pairs are reported with their place', () => {
    assert.equal(policyProblem('{"Statement": []}'), undefined);
    assert.equal(policyProblem('[]')?.line, undefined);
    assert.equal(policyProblem('{\n"Statement": [,]}')?.line, 2);
    assert.deepEqual(pairsIn('a = 1\n\nb=2=3\nc'), { a: '1', b: '2=3', c: '' });
    assert.deepEqual(Object.entries(pairsIn('__proto__ = 1')), [['__proto__', '1']]);
    assert.throws(() => pairsIn('a=1\na=2'), /twice/);
    assert.throws(() => pairsIn(' = 1'), /no name/);
  });

  test('only harmless types have a preview', () => {
    assert.equal(previewKind('a.html', 'text/html', 10), 'text');
    assert.equal(previewKind('a.svg', 'image/svg+xml', 10), 'text');
    assert.equal(previewKind('a', 'application/json', 10), 'json');
    assert.equal(previewKind('a.png', 'binary/octet-stream', 10), 'image');
    assert.equal(previewKind('a.png', 'image/png', 1e9), 'none');
    assert.equal(previewKind('a.zip', 'application/zip', 10), 'none');
  });
});
