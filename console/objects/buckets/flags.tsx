// The settings of a bucket as badges, and its facts in the head of its page.
import { useLayoutEffect } from 'preact/hooks';
import { Badge } from '../../components/text.tsx';
import { useChanges } from '../../live.ts';
import { countText, sizeText } from '../keys.ts';
import { s3Path } from '../s3/s3.ts';
import { factsOf, refreshFacts } from './bucket-facts.ts';

export function BucketLead({ bucket }: { bucket: string }) {
  const refresh = (): void => refreshFacts(bucket);
  useLayoutEffect(refresh, []);
  useChanges([s3Path({ bucket })], refresh);
  const facts = factsOf(bucket).value;
  if (!facts || 'error' in facts) return <>Bucket</>;
  const { region, objects, bytes } = facts.value;
  return (
    <>
      {`Bucket in ${region} · ${countText(objects, 'version')} · ${sizeText(bytes)}`} <Flags of={bucket} />
    </>
  );
}

export function Flags({ of }: { of: string }) {
  const facts = factsOf(of).value;
  if (!facts || 'error' in facts) return null;
  const { versioning, hasLock, isPublic } = facts.value;
  return (
    <span class="ob-flags">
      {versioning === 'Enabled' && <Badge look="good" text="Versioning" />}
      {versioning === 'Suspended' && <Badge look="old" text="Suspended" />}
      {hasLock && <Badge look="here" text="Lock" />}
      {isPublic && <Badge look="waits" text="Public" />}
    </span>
  );
}
