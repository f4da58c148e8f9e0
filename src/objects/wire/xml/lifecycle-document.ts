// Reads LifecycleConfiguration. Transitions are refused: there is only one storage class.

import { s3Fault } from '../error.ts';
import { instant } from '../http/instant.ts';
import { checkTagSet, type Tag } from '../http/tags.ts';
import { type Element, malformed, parseXml } from './parser.ts';

export interface LifecycleRule {
  id: string | undefined;
  isEnabled: boolean;
  filter: LifecycleFilter;
  hasFilterElement: boolean; // otherwise the rule has the older Prefix: answers keep the form that was sent
  expiration: Expiration | undefined;
  noncurrentVersionExpiration: { noncurrentDays: number; newerNoncurrentVersions: number | undefined } | undefined;
  abortIncompleteMultipartUpload: { daysAfterInitiation: number } | undefined;
}

// All given conditions must hold.
export interface LifecycleFilter {
  hasAnd: boolean; // in the element And: answers keep the form that was sent
  prefix: string | undefined;
  tags: Tag[];
  sizeGreaterThan: number | undefined;
  sizeLessThan: number | undefined;
}

// Tags and sizes apply to objects only: uploads and delete markers have none.
export const isOfObjects = ({ tags, sizeGreaterThan, sizeLessThan }: LifecycleFilter): boolean =>
  tags.length > 0 || sizeGreaterThan !== undefined || sizeLessThan !== undefined;

export type Expiration = { days: number } | { date: number } | { expiredObjectDeleteMarker: boolean };

const mostRules = 1000;
const mostDays = 2 ** 31 - 1;
const limits = { bytes: 1024 * 1024, marks: 50_000 };

export function readLifecycleConfiguration(body: string | Uint8Array): LifecycleRule[] {
  const rules = parseXml(body, 'LifecycleConfiguration', limits).all('Rule').map(readRule);
  if (rules.length === 0 || rules.length > mostRules) malformed(`There must be 1 to ${mostRules} rules.`);
  const ids = rules.flatMap(({ id }) => id ?? []);
  if (new Set(ids).size < ids.length)
    throw s3Fault('InvalidArgument', 'Rule ID must be unique. Found same ID for more than one rule');
  return rules;
}

function readRule(rule: Element): LifecycleRule {
  const id = rule.string('ID') || undefined;
  if (id && id.length > 255) throw s3Fault('InvalidArgument', 'ID length should not exceed allowed limit of 255');
  if (rule.all('Transition').length + rule.all('NoncurrentVersionTransition').length > 0) {
    throw s3Fault('InvalidStorageClass', 'There is only one storage class, so transitions are not supported.');
  }
  const filter = rule.optional('Filter');
  // The Go client sends an empty Prefix with every rule.
  if (filter && rule.string('Prefix')) malformed('A rule must have either Filter or Prefix.');
  if (!filter && !rule.optional('Prefix')) malformed('A rule needs a Filter.');
  const read = {
    id,
    isEnabled: (rule.choice('Status', ['Enabled', 'Disabled']) ?? malformed('Status is missing.')) === 'Enabled',
    filter: readFilter(filter ?? rule),
    hasFilterElement: filter !== undefined,
    expiration: readExpiration(rule.optional('Expiration')),
    noncurrentVersionExpiration: readNoncurrent(rule.optional('NoncurrentVersionExpiration')),
    abortIncompleteMultipartUpload: readAbort(rule.optional('AbortIncompleteMultipartUpload')),
  };
  if (!read.expiration && !read.noncurrentVersionExpiration && !read.abortIncompleteMultipartUpload) {
    throw s3Fault('InvalidRequest', 'At least one action needs to be specified in a rule.');
  }
  const isOfMarkers = read.expiration !== undefined && 'expiredObjectDeleteMarker' in read.expiration;
  if (isOfObjects(read.filter) && (read.abortIncompleteMultipartUpload || isOfMarkers)) {
    const what = isOfMarkers ? 'ExpiredObjectDeleteMarker' : 'AbortIncompleteMultipartUpload';
    throw s3Fault('InvalidRequest', `${what} cannot be specified with tags or sizes of objects.`);
  }
  return read;
}

function readFilter(element: Element): LifecycleFilter {
  const and = element.optional('And');
  const inside = and ?? element;
  const tags = inside.all('Tag').map((tag) => ({
    key: tag.raw('Key') ?? malformed('A Tag needs a Key.'),
    value: tag.raw('Value') ?? malformed('A Tag needs a Value.'),
  }));
  const filter = {
    hasAnd: and !== undefined,
    prefix: inside.raw('Prefix'),
    tags: checkTagSet(tags, 10),
    sizeGreaterThan: inside.integer('ObjectSizeGreaterThan', 0, Number.MAX_SAFE_INTEGER),
    sizeLessThan: inside.integer('ObjectSizeLessThan', 1, Number.MAX_SAFE_INTEGER),
  };
  const given = [filter.prefix, filter.sizeGreaterThan, filter.sizeLessThan, ...filter.tags];
  if (!and && given.filter((each) => each !== undefined).length > 1) malformed('Several conditions must be in And.');
  return filter;
}

function readExpiration(element: Element | undefined): Expiration | undefined {
  if (!element) return undefined;
  const days = element.integer('Days', 1, mostDays, 'InvalidArgument');
  const date = element.string('Date');
  const marker = element.boolean('ExpiredObjectDeleteMarker');
  if ([days, date, marker].filter((each) => each !== undefined).length !== 1) {
    malformed('Expiration must have one of Days, Date and ExpiredObjectDeleteMarker.');
  }
  if (days !== undefined) return { days };
  if (marker !== undefined) return { expiredObjectDeleteMarker: marker };
  const time = instant(date as string) ?? malformed('Date must be a day such as 2026-01-31T00:00:00Z.');
  if (time % 86_400_000 !== 0) throw s3Fault('InvalidArgument', "'Date' must be at midnight GMT");
  return { date: time };
}

function readNoncurrent(element: Element | undefined): LifecycleRule['noncurrentVersionExpiration'] {
  if (!element) return undefined;
  return {
    noncurrentDays:
      element.integer('NoncurrentDays', 1, mostDays, 'InvalidArgument') ?? malformed('NoncurrentDays is missing.'),
    newerNoncurrentVersions: element.integer('NewerNoncurrentVersions', 1, 100, 'InvalidArgument'),
  };
}

function readAbort(element: Element | undefined): LifecycleRule['abortIncompleteMultipartUpload'] {
  if (!element) return undefined;
  const days = element.integer('DaysAfterInitiation', 1, mostDays, 'InvalidArgument');
  return { daysAfterInitiation: days ?? malformed('DaysAfterInitiation is missing.') };
}
