// The model of the activity page: filters, search, bars of a day, groups of entries, and texts of actions.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Entry, entryOf, nothingFound, searchFurther } from '../../../console/activity/activity-api.ts';
import {
  actionText,
  daysOf,
  fits,
  isAboutResource,
  queryOf,
  stepsOf,
  subjectOf,
} from '../../../console/activity/activity-model.ts';
import { setSitemap } from '../../../console/sitemap.ts';

setSitemap({
  groups: [],
  titles: {
    autoscalinggroup: ['Auto scaling group', 'Auto scaling groups'],
    factor: ['Second factor', 'Second factors'],
    ipblock: ['IP block', 'IP blocks'],
    natgateway: ['NAT gateway', 'NAT gateways'],
  },
});

const entry = (id: number, more: Partial<Entry> = {}): Entry => ({
  id: String(id),
  time: new Date(Date.UTC(2026, 10, 17, 12, 0, id)).toISOString(),
  user: 'owner@example.com',
  action: 'compute.server.create',
  type: 'RequestAccepted',
  resource: 'server/S',
  resources: [{ id: 'S', type: 'server' }],
  method: 'POST',
  path: '/cloudapi/v6/datacenters/D/servers',
  address: '127.0.0.1',
  status: 'DONE',
  messages: [],
  count: 1,
  requestId: 'R',
  ...more,
});

suite('the activity log in the console', () => {
  test('a search filters by kind, user, resource and action', () => {
    const all = queryOf(new URLSearchParams('kind=all'));
    const read = entry(1, { type: 'Retrieval', action: 'server_list', status: '' });
    assert.equal(fits(read, queryOf(new URLSearchParams())), false, 'reads are hidden by default');
    assert.equal(fits(read, all), true);
    assert.equal(fits(entry(1), { ...all, user: 'OWNER' }), true);
    assert.equal(fits(entry(1), { ...all, user: 'somebody' }), false);
    assert.equal(fits(entry(1), { ...all, resource: 'S', action: 'create' }), true);
    assert.equal(fits(entry(1), { ...all, resource: 'R' }), true, 'by its request');
    assert.equal(fits(entry(1, { status: 'REFUSED' }), { ...all, kind: 'failed' }), true);
    assert.equal(fits(entry(1, { type: 'Login', action: 'user_login' }), { ...all, kind: 'access' }), true);
    assert.equal(queryOf(new URLSearchParams('resource=S')).kind, 'all', 'a link to a resource shows all its entries');
  });

  test('resources are shown once each, by name, and found by name', () => {
    const named = (at: number, id: string, name?: string): Entry =>
      entry(at, { resources: [{ id, type: 'server', ...(name !== undefined && { name }) }] });
    assert.equal(subjectOf([named(1, 'S', 'web-1')]), 'web-1', 'the action says that it is a server');
    assert.equal(subjectOf([named(1, 'S', 'web-1'), named(2, 'S', 'web-1'), named(3, 'T')]), 'web-1, T');
    assert.equal(subjectOf(['A', 'B', 'C', 'D', 'E'].map((id, at) => named(at, id))), 'A, B, C and 2 more');
    const made = [
      { id: 'S', type: 'server', name: 'web-1' },
      { id: 'V', type: 'volume', name: 'root' },
    ];
    assert.equal(subjectOf([entry(1, { resources: made })]), 'web-1, volume root');
    assert.equal(subjectOf([entry(1, { resources: [], resource: '/cloudapi/v6' })]), '/cloudapi/v6');
    const all = queryOf(new URLSearchParams('kind=all'));
    assert.ok(fits(named(1, 'S', 'web-1'), { ...all, resource: 'WEB' }));
  });

  test('the audit of a resource includes its children', () => {
    const path = '/cloudapi/v6/datacenters/D';
    assert.ok(isAboutResource(entry(1), path, 'D'));
    assert.ok(isAboutResource(entry(1), `${path}/servers/S`, 'S'));
    assert.ok(!isAboutResource(entry(1), `${path}2`, 'D2'));
  });

  test('refusals and failures have their messages', () => {
    const param = { action: 'POST', uri: '/x', error: { messages: [{ message: 'too small' }] } };
    const base = { action: 'a', resource: '', user: 'u', time: '2026-11-17T12:00:00.000Z' };
    const refused = entryOf('1', { ...base, event: { type: 'Error', resources: [], param } });
    assert.deepEqual([refused.status, refused.messages], ['REFUSED', ['too small']]);
    const failed = entryOf('2', {
      ...base,
      event: { type: 'RequestAccepted', resources: [], param, status: 'FAILED' },
    });
    assert.equal(failed.status, 'FAILED');
  });

  test('a search reads page by page until it has found or read enough', async (t) => {
    const offsets: string[] = [];
    const source = { action: 'a', resource: '', user: 'u', time: '2026-11-17T12:00:00.000Z' };
    t.mock.method(globalThis, 'fetch', async (path: string) => {
      const query = new URLSearchParams(path.split('?')[1]);
      offsets.push(query.get('offset') ?? '');
      const hits = Array.from({ length: Number(query.get('limit')) }, (_, at) => ({
        _id: String(at),
        _source: source,
      }));
      return new Response(JSON.stringify({ hits: { total: 1600, hits } }));
    });
    const span = { from: 0, to: 1 };
    const { signal } = new AbortController();
    const first = await searchFurther(span, () => false, nothingFound, { enough: 1, most: 1000 }, signal);
    assert.deepEqual([offsets, first.read, first.total], [['0', '500'], 1000, 1600]);
    const last = await searchFurther(span, () => false, first, { enough: 1, most: 1000 }, signal);
    assert.deepEqual([offsets.length, last.read], [4, 1600]);
    await searchFurther(span, () => true, nothingFound, { enough: 1, most: 5000 }, signal);
    assert.equal(offsets.length, 5, 'one page was enough');
  });

  test('the bars of a day start with the hours of the time zone and end with the present hour', () => {
    const now = Date.UTC(2026, 10, 17, 12, 34);
    const steps = stepsOf({ stepMs: 3_600_000, steps: 24 }, now, 1_800_000);
    assert.equal(steps.length, 24);
    const last = steps.at(-1);
    assert.ok(last && last.from <= now && now < last.to);
    assert.equal(((last?.from ?? 0) + 1_800_000) % 3_600_000, 0);
  });

  test('entries of a day with the same user, action and outcome share a line', () => {
    const days = daysOf(
      [entry(5), entry(4), entry(3, { status: 'FAILED' }), entry(2, { time: '2026-11-16T12:00:00.000Z' })],
      (iso) => iso.slice(0, 10),
    );
    assert.deepEqual(
      days.map(({ title, groups }) => [title, groups.map(({ entries }) => entries.length)]),
      [
        ['2026-11-17', [2, 1]],
        ['2026-11-16', [1]],
      ],
    );
  });

  test('actions are shown as words', () => {
    assert.equal(actionText('ip.ipblock.create'), 'Create IP block');
    assert.equal(actionText('net.natgateway.update'), 'Change NAT gateway');
    assert.equal(actionText('autoscalinggroup_replace'), 'Change auto scaling group');
    assert.equal(actionText('server_volumes_attach'), 'Attach volume');
    assert.equal(actionText('volume_createSnapshot'), 'Create snapshot');
    assert.equal(actionText('factor_confirm'), 'Confirm second factor');
    assert.equal(actionText('objects_PutObject'), 'Upload object');
    assert.equal(actionText('user_login'), 'Sign in');
    assert.equal(actionText('monitoring.pipeline.key'), 'Replace pipeline key');
    assert.equal(actionText('logs_push_loki'), 'Push logs');
    assert.equal(actionText('metrics_push_otlp_below'), 'Push metrics');
    assert.equal(actionText('metrics_below_query_range_form'), 'Search metrics');
    assert.equal(actionText('centralalertgroup_delete'), 'Delete alert rule group');
    assert.equal(actionText('ip.ipblock.list'), 'List IP blocks');
    assert.equal(actionText('token_deleteByCriteria'), 'Delete token');
    assert.equal(actionText('lab_clock_advance'), 'Advance clock');
    assert.equal(actionText('GenerateToken'), 'Create token');
  });
});
