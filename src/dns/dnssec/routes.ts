// The DNSSEC keys of a zone: generated here, stored sealed in the zone's row, and shown in the form that a registrar
// needs.

import { createPrivateKey, createPublicKey } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import { randomHex } from '../../base/ids.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import type { Seal } from '../../base/seal.ts';
import { missingRow } from '../../core/missing-resource.ts';
import { hiddenText } from '../../core/operation/operation.ts';
import { targetOf } from '../../core/operation/request.ts';
import { reservationsOf } from '../../core/operation/reservations.ts';
import { pathOf, type Resource } from '../../core/resource.ts';
import { check, integer, type Properties, shape, text } from '../../core/schema.ts';
import { changedBy } from '../../core/stamps.ts';
import type { Row } from '../../core/state/engine.ts';
import { applyChange, withEntry } from '../../surface/change.ts';
import { propertiesSchema } from '../../surface/docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { regionalBody } from '../../surface/regional-dialect/body.ts';
import { findRegional } from '../../surface/regional-dialect/find.ts';
import { serialWrite } from '../zones/serial.ts';
import { zone } from '../zones/zone.ts';
import { dnskeyData, keySigningFlags, keyTagOf } from './key-data.ts';
import { digestOf, type SigningKeys } from './signer.ts';
import { keyThread } from './signing-threads.ts';

const bits = [1024, 2048, 4096];
const properties: Properties = {
  keyParameters: shape(
    {
      algorithm: text({ required: true, oneOf: ['RSASHA256'] }),
      kskBits: integer({ required: true, min: 1024, max: 4096, description: '1024, 2048 or 4096' }),
      zskBits: integer({ required: true, min: 1024, max: 4096, description: '1024, 2048 or 4096, at most kskBits' }),
    },
    { required: true, example: { algorithm: 'RSASHA256', kskBits: 2048, zskBits: 2048 } },
  ),
  nsecParameters: shape(
    {
      nsecMode: text({ required: true, oneOf: ['NSEC', 'NSEC3'] }),
      nsec3Iterations: integer({ default: 0, min: 0, max: 50 }),
      nsec3SaltBits: integer({ default: 64, min: 64, max: 128 }),
    },
    { required: true, example: { nsecMode: 'NSEC3', nsec3Iterations: 0, nsec3SaltBits: 64 } },
  ),
  validity: integer({ required: true, min: 90, max: 365, example: 90, description: 'Validity of signatures in days' }),
};

type Sent = {
  keyParameters: { algorithm: string; kskBits: number; zskBits: number };
  nsecParameters: { nsecMode: 'NSEC' | 'NSEC3'; nsec3Iterations: number; nsec3SaltBits: number };
  validity: number;
};

export function keyRoutes(machinery: Machinery, seal: Seal): Route[] {
  const find = (verb: 'get' | 'change') => (x: Exchange) => findRegional(machinery, x, [], zone as Resource, verb);
  const path = '/zones/{zoneId}/keys';
  const replySchema: Values = { type: 'object' };
  return [
    {
      method: 'GET',
      path,
      operation: 'dnsseckeys_get',
      summary: 'Read the data about the keys for the parent zone',
      replySchema,
      resolve: find('get'),
      call: (x) => json(200, shown(x, x.rows[0] as Row, keysOf(x.rows[0] as Row, seal))),
    },
    {
      method: 'POST',
      path,
      operation: 'dnsseckeys_create',
      summary: 'Create keys and sign the zone',
      takesBody: true,
      bodySchema: {
        type: 'object',
        properties: { properties: propertiesSchema(properties, 'create') },
        required: ['properties'],
      },
      replySchema,
      replyStatus: 202,
      isPolled: true,
      mayConflict: true,
      resolve: find('change'),
      call: (x) => create(machinery, seal, x),
    },
    {
      method: 'DELETE',
      path,
      operation: 'dnsseckeys_delete',
      summary: 'Delete the keys; the zone is no longer signed',
      replySchema,
      replyStatus: 202,
      isPolled: true,
      resolve: find('change'),
      async call(x) {
        keysOf(x.rows[0] as Row, seal);
        await keep(machinery, x, undefined);
        return json(202, {});
      },
    },
  ];
}

async function create(machinery: Machinery, seal: Seal, x: Exchange): Promise<Reply> {
  const sent = sentOf(x.body);
  const { keyParameters, nsecParameters, validity } = sent;
  const { kskBits, zskBits } = keyParameters;
  if (!bits.includes(kskBits) || !bits.includes(zskBits))
    throw new Fault('refused', `[(root).properties.keyParameters] Keys have ${bits.join(', ')} bits`, { code: '100' });
  if (kskBits < zskBits)
    throw new Fault('refused', '[(root).properties.keyParameters] kskBits must not be less than zskBits', {
      code: '100',
    });
  if (nsecParameters.nsec3SaltBits % 8 !== 0)
    throw new Fault('refused', '[(root).properties.nsecParameters.nsec3SaltBits] Expected a multiple of 8', {
      code: '100',
    });
  if (hasKeys(x.rows[0] as Row)) throw new Fault('conflict', 'The zone has keys already.');
  const keys: SigningKeys = {
    ksk: await newKey(x.who.contract, kskBits),
    zsk: await newKey(x.who.contract, zskBits),
    mode: nsecParameters.nsecMode,
    iterations: nsecParameters.nsec3Iterations,
    salt: nsecParameters.nsecMode === 'NSEC3' ? randomHex(nsecParameters.nsec3SaltBits / 8) : '',
    validityDays: validity,
  };
  await keep(machinery, x, seal.close(JSON.stringify(keys)));
  return json(202, shown(x, x.rows[0] as Row, keys));
}

function sentOf(body: Json | undefined): Sent {
  const { properties: sent } = regionalBody(body, 'create', '');
  const { values, problems } = check(properties, isObject(sent) ? sent : undefined, 'create', '(root).properties');
  if (problems.length) throw new Fault('refused', 'The request body is not acceptable.', { problems });
  return values as Sent;
}

const newKey = (contract: number, bits: number): Promise<string> =>
  keyThread.call('newKey', { bits }, { group: String(contract) });

async function keep({ store, now }: Machinery, x: Exchange, keys: string | undefined): Promise<void> {
  const found = x.rows[0] as Row;
  await applyChange(store, async () => {
    const row = await store.at(found.contract, pathOf(found));
    if (!row || row.state === 'DELETING') throw missingRow(found);
    if (keys !== undefined && hasKeys(row)) throw new Fault('conflict', 'The zone has keys already.');
    const { keys: _old, holds: _holds, ...rest } = hiddenOf(row);
    const hidden = hiddenText({ ...rest, ...(keys !== undefined && { keys }) }, reservationsOf(row));
    const next = { ...row, hidden, meta: changedBy(row.meta, x.who, now()) };
    const targets = [targetOf(row, `${zone.actions}.${keys ? 'sign' : 'unsign'}`)];
    const writes = [{ op: 'update', table: 'resource', row: next } as const, serialWrite(row.contract, row.id)];
    return withEntry(x, { writes, targets }, now());
  });
}

const hiddenOf = ({ hidden }: Row): Values => (hidden ? (JSON.parse(hidden) as Values) : {});
const hasKeys = (row: Row): boolean => hiddenOf(row).keys !== undefined;

function keysOf(row: Row, seal: Seal): SigningKeys {
  const { keys } = hiddenOf(row);
  if (typeof keys !== 'string') throw new Fault('missing', 'The zone has no keys.');
  return JSON.parse(seal.open(keys)) as SigningKeys;
}

function shown(x: Exchange, row: Row, keys: SigningKeys): Values {
  const { zoneName } = JSON.parse(row.body) as { zoneName: string };
  const data = dnskeyData(createPublicKey(createPrivateKey(keys.ksk)), true);
  const pubKey = data.subarray(4).toString('base64');
  return {
    id: row.id,
    type: 'dnsseckeys',
    href: `${x.base}/zones/${row.id}/keys`,
    metadata: {
      zoneId: row.id,
      items: [
        {
          keyTag: keyTagOf(data),
          digestAlgorithmMnemonic: 'SHA-256',
          digest: digestOf(zoneName, data),
          keyData: { flags: keySigningFlags, pubKey },
          composedKeyData: `${keySigningFlags} 3 8 ${pubKey}`,
        },
      ],
    },
    properties: {
      keyParameters: { algorithm: 'RSASHA256' },
      nsecParameters: {
        nsecMode: keys.mode,
        ...(keys.mode === 'NSEC3' && { nsec3Iterations: keys.iterations, nsec3SaltBits: keys.salt.length * 4 }),
      },
      validity: keys.validityDays,
    },
  };
}
