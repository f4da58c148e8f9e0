// The buckets of a seed, each with its source position.
import { isObject, type Json } from '../../base/json.ts';
import { suggestion } from '../../command/suggestion.ts';
import { bucketDocuments } from '../../surface/docs/seed-buckets.ts';
import type { Path, SeedSource } from './seed-source.ts';

export interface SeedBucket {
  name: string;
  region: string | undefined;
  versioning: boolean;
  policy: Json | undefined;
  documents: Readonly<Record<string, string>>; // by the names of bucketDocuments
  files: string | undefined; // a folder
  objects: { key: string; content: string; contentType: string | undefined }[];
  placeholder: string | undefined; // as of an item
  source: SeedSource;
  path: Path;
}

export function planBucket(
  source: SeedSource,
  path: Path,
  value: Json,
  report: (path: Path, message: string) => void,
): SeedBucket | undefined {
  if (!isObject(value) || typeof value.name !== 'string') {
    report(path, 'a bucket must be an object with a name.');
    return undefined;
  }
  const { name, region, versioning, policy, files, objects, placeholder } = value;
  for (const [key, one] of Object.entries(value)) {
    const known = Object.hasOwn(bucketValues, key) ? bucketValues[key] : undefined;
    if (!known) {
      const hint = suggestion(key, Object.keys(bucketValues));
      report([...path, key], `a bucket in a seed has no ${key}.${hint}`);
    } else if (!known.is(one)) report([...path, key], `its ${key} must be ${known.what}.`);
  }
  if (!isPlainName(name)) report([...path, 'name'], 'its name is not a valid bucket name.');
  return {
    name,
    region: typeof region === 'string' ? region : undefined,
    versioning: versioning === true,
    policy,
    documents: Object.fromEntries(
      Object.keys(bucketDocuments).flatMap((key) => {
        const document = value[key];
        return isText(document) ? [[key, document]] : [];
      }),
    ),
    files: typeof files === 'string' ? files : undefined,
    placeholder: isText(placeholder) ? placeholder : undefined,
    objects: (Array.isArray(objects) ? objects : []).flatMap((one, index) => {
      if (isSeedObject(one) && !isSeedKey(one.key)) {
        const problem = 'a key must not be empty, nor have a part . or .. between its slashes.';
        report([...path, 'objects', index, 'key'], problem);
        return [];
      }
      if (isSeedObject(one)) return [{ key: one.key, content: one.content, contentType: one.contentType }];
      report([...path, 'objects', index], 'an object has key, content and contentType, which are all strings.');
      return [];
    }),
    source,
    path,
  };
}

const isText = (value: Json | undefined): value is string => typeof value === 'string';
const aText = { what: 'a string', is: isText };
const bucketValues: Readonly<Record<string, { what: string; is(value: Json): boolean }>> = {
  name: aText,
  region: { what: 'the name of a region', is: (value) => isText(value) && /^[\w/-]{1,64}$/.test(value) },
  versioning: { what: 'true or false', is: (value) => typeof value === 'boolean' },
  policy: { what: 'an object or a string', is: (value) => isObject(value) || isText(value) },
  ...Object.fromEntries(Object.keys(bucketDocuments).map((key) => [key, { what: 'an XML document', is: isText }])),
  files: aText,
  placeholder: aText,
  objects: { what: 'a list', is: Array.isArray },
};

// The name is a part of URLs. The object storage enforces the other rules.
const isPlainName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name);

// In a URL, these parts would lead to another path.
const isSeedKey = (key: string): boolean => key !== '' && !key.split('/').some((part) => part === '.' || part === '..');

interface SeedObject {
  key: string;
  content: string;
  contentType?: string;
}

function isSeedObject(value: Json): value is Json & SeedObject {
  if (!isObject(value)) return false;
  const { key, content, contentType = '', ...others } = value;
  return [key, content, contentType].every(isText) && Object.keys(others).length === 0;
}
