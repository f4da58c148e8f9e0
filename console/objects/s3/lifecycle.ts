// Lifecycle rules of a bucket. Parts that a form can't show are kept unchanged.
import { s3, s3Document, unless } from './s3.ts';
import { writeXml, type XmlContent, type XmlNode } from './xml.ts';

export interface LifecycleRule {
  id: string;
  isEnabled: boolean;
  prefix: string;
  tags: Readonly<Record<string, string>>;
  largerThan: number | undefined; // bytes
  smallerThan: number | undefined;
  expireDays: number | undefined;
  expireDate: string | undefined; // 2027-01-31
  removesMarkers: boolean; // removes delete markers without versions
  noncurrentDays: number | undefined;
  keepNewer: number | undefined; // number of noncurrent versions to keep
  abortDays: number | undefined;
}

const query = { lifecycle: '' };

export async function readLifecycle(bucket: string, signal?: AbortSignal): Promise<LifecycleRule[]> {
  const document = await unless('NoSuchLifecycleConfiguration', s3Document({ bucket }, query, signal));
  return document?.all('Rule').map(ruleIn) ?? [];
}

export async function setLifecycle(bucket: string, rules: readonly LifecycleRule[]): Promise<void> {
  if (rules.length === 0) await s3('DELETE', { bucket }, { query });
  else
    await s3('PUT', { bucket }, { query, body: writeXml('LifecycleConfiguration', { Rule: rules.map(ruleContent) }) });
}

function ruleIn(rule: XmlNode): LifecycleRule {
  const filter = rule.child('Filter') ?? rule;
  const inside = filter.child('And') ?? filter;
  const expiration = rule.child('Expiration');
  const noncurrent = rule.child('NoncurrentVersionExpiration');
  return {
    id: rule.text('ID') ?? '',
    isEnabled: rule.text('Status') === 'Enabled',
    prefix: inside.text('Prefix') ?? '',
    tags: Object.fromEntries(inside.all('Tag').map((tag) => [tag.text('Key') ?? '', tag.text('Value') ?? ''])),
    largerThan: inside.number('ObjectSizeGreaterThan'),
    smallerThan: inside.number('ObjectSizeLessThan'),
    expireDays: expiration?.number('Days'),
    expireDate: expiration?.text('Date')?.slice(0, 10),
    removesMarkers: expiration?.is('ExpiredObjectDeleteMarker') ?? false,
    noncurrentDays: noncurrent?.number('NoncurrentDays'),
    keepNewer: noncurrent?.number('NewerNoncurrentVersions'),
    abortDays: rule.child('AbortIncompleteMultipartUpload')?.number('DaysAfterInitiation'),
  };
}

export function ruleContent(rule: LifecycleRule): XmlContent {
  const { id, isEnabled, expireDays, expireDate, removesMarkers, noncurrentDays, keepNewer, abortDays } = rule;
  const expires = expireDays !== undefined || expireDate !== undefined || removesMarkers;
  return {
    ID: id === '' ? undefined : id,
    Filter: filterContent(rule),
    Status: isEnabled ? 'Enabled' : 'Disabled',
    Expiration: expires
      ? {
          Days: expireDays,
          Date: expireDate === undefined ? undefined : `${expireDate}T00:00:00Z`,
          ExpiredObjectDeleteMarker: removesMarkers ? true : undefined,
        }
      : undefined,
    NoncurrentVersionExpiration:
      noncurrentDays === undefined ? undefined : { NoncurrentDays: noncurrentDays, NewerNoncurrentVersions: keepNewer },
    AbortIncompleteMultipartUpload: abortDays === undefined ? undefined : { DaysAfterInitiation: abortDays },
  };
}

// S3 wants several conditions in an And element.
function filterContent({ prefix, tags, largerThan, smallerThan }: LifecycleRule): XmlContent {
  const Tag = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const content = { ObjectSizeGreaterThan: largerThan, ObjectSizeLessThan: smallerThan, Tag };
  const count =
    Number(prefix !== '') + Tag.length + Number(largerThan !== undefined) + Number(smallerThan !== undefined);
  return count > 1
    ? { And: { Prefix: prefix === '' ? undefined : prefix, ...content } }
    : { Prefix: count === 0 || prefix !== '' ? prefix : undefined, ...content };
}

const days = (count: number): string => (count === 1 ? '1 day' : `${count} days`);

// The actions of a rule in words.
export function actionsOf(rule: LifecycleRule): string[] {
  const { expireDays, expireDate, removesMarkers, noncurrentDays, keepNewer, abortDays } = rule;
  return [
    ...(expireDays === undefined ? [] : [`Objects expire after ${days(expireDays)}`]),
    ...(expireDate === undefined ? [] : [`Objects expire on ${expireDate}`]),
    ...(removesMarkers ? ['Delete markers without versions are removed'] : []),
    ...(noncurrentDays === undefined
      ? []
      : [
          `Older versions expire after ${days(noncurrentDays)}${keepNewer === undefined ? '' : `, except for the newest ${keepNewer}`}`,
        ]),
    ...(abortDays === undefined ? [] : [`Unfinished uploads are aborted after ${days(abortDays)}`]),
  ];
}

export function conditionsOf({ prefix, tags, largerThan, smallerThan }: LifecycleRule): string[] {
  const all = [
    ...(prefix === '' ? [] : [`name begins with ${prefix}`]),
    ...Object.entries(tags).map(([name, value]) => `tag ${name} = ${value}`),
    ...(largerThan === undefined ? [] : [`larger than ${largerThan} bytes`]),
    ...(smallerThan === undefined ? [] : [`smaller than ${smallerThan} bytes`]),
  ];
  return all.length === 0 ? ['all objects'] : all;
}
