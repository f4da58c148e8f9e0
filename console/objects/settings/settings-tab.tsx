// The tab Settings of a bucket: versioning, lock, lifecycle, encryption, website, tags, and deletion.
import { Button } from '../../components/button.tsx';
import { Badge, Section } from '../../components/text.tsx';
import { go } from '../../router.ts';
import { bucketsUrl } from '../../urls.ts';
import type { BucketTabProps } from '../bucket-tab.ts';
import { openBucketDeletion } from '../deletion/delete-bucket.tsx';
import { countText, sizeText } from '../keys.ts';
import { bucketFacts, bucketRegion, bucketVersioning, setVersioning } from '../s3/buckets.ts';
import {
  type DefaultRetention,
  readEncryption,
  readLock,
  readWebsite,
  setEncryption,
  setLock,
  setWebsite,
  type Website,
} from '../s3/configuration.ts';
import { LifecycleSetting } from './lifecycle-setting.tsx';
import { numberIn, openSettingForm, Setting, textIn } from './setting.tsx';
import { TagsSection } from './tags-section.tsx';

export function SettingsTab({ bucket, query }: BucketTabProps) {
  return (
    <>
      <Setting
        title="Content"
        lead="The present content, with all versions."
        read={async (signal) => ({
          ...(await bucketFacts(bucket, signal)),
          region: await bucketRegion(bucket, signal),
        })}
      >
        {({ region, objects, bytes }) => (
          <p>{`${countText(objects, 'version')}, ${sizeText(bytes)}, in region ${region}.`}</p>
        )}
      </Setting>
      <VersioningSetting bucket={bucket} />
      <LockSetting bucket={bucket} />
      <LifecycleSetting bucket={bucket} />
      <EncryptionSetting bucket={bucket} />
      <WebsiteSetting bucket={bucket} />
      <TagsSection place={{ bucket }} most={50} />
      <Section title="Delete bucket" lead="Deletes all objects, versions and unfinished uploads, too.">
        <Button
          text="Delete bucket"
          look="danger"
          onPress={() => openBucketDeletion(bucket, () => leaveIfGone(bucket, () => query.go({ tab: 'settings' })))}
        />
      </Section>
    </>
  );
}

// A stopped deletion leaves the bucket.
function leaveIfGone(bucket: string, stay: () => void): void {
  bucketRegion(bucket).then(stay, () => go(bucketsUrl()));
}

const VersioningSetting = ({ bucket }: { bucket: string }) => (
  <Setting
    title="Versioning"
    lead="Overwritten and deleted objects are kept as older versions."
    read={(signal) => bucketVersioning(bucket, signal)}
    edit={(status, onDone) =>
      openSettingForm({
        title: 'Versioning',
        schema: {
          properties: {
            status: {
              type: 'string',
              title: 'Versioning',
              default: status === 'Enabled' ? 'Suspended' : 'Enabled',
              oneOf: [
                { const: 'Enabled', title: 'On' },
                { const: 'Suspended', title: 'Suspended: keeps existing versions, adds none' },
              ],
            },
          },
          required: ['status'],
        },
        send: (values) => setVersioning(bucket, values.status === 'Enabled' ? 'Enabled' : 'Suspended'),
        onDone,
      })
    }
  >
    {(status) => <Badge look={status === 'Enabled' ? 'good' : 'old'} text={status === 'Enabled' ? 'On' : status} />}
  </Setting>
);

const modes = [
  { const: 'GOVERNANCE', title: 'Governance: permitted users can bypass it' },
  { const: 'COMPLIANCE', title: 'Compliance: no one can bypass it' },
];

const LockSetting = ({ bucket }: { bucket: string }) => (
  <Setting
    title="Object lock"
    lead="Protects versions from deletion until a time. It needs versioning and can’t be switched off again."
    read={(signal) => readLock(bucket, signal)}
    edit={(lock, onDone) =>
      openSettingForm({
        title: 'Object lock',
        schema: {
          properties: {
            mode: {
              type: 'string',
              title: 'Default retention',
              default: lock?.retention?.mode ?? '',
              oneOf: [{ const: '', title: 'None' }, ...modes],
            },
            days: { type: 'integer', title: 'Days', minimum: 1, maximum: 36_500, width: 'short' },
            years: { type: 'integer', title: 'Years', minimum: 1, maximum: 100, width: 'short' },
          },
        },
        look: 'tall',
        values: {
          ...(lock?.retention?.days !== undefined && { days: lock.retention.days }),
          ...(lock?.retention?.years !== undefined && { years: lock.retention.years }),
        },
        submit: lock ? 'Save' : 'Switch on permanently',
        send: ({ mode, days, years }) => {
          const chosen = textIn(mode);
          const retention = { mode: chosen, days: numberIn(days), years: numberIn(years) };
          return setLock(bucket, chosen === '' ? undefined : retention);
        },
        onDone,
      })
    }
  >
    {(lock) =>
      lock ? (
        <p>
          <Badge look="here" text="On" /> {retentionText(lock.retention)}
        </p>
      ) : (
        <Badge look="old" text="Off" />
      )
    }
  </Setting>
);

function retentionText(retention: DefaultRetention | undefined): string {
  if (!retention) return 'without a default retention.';
  const { mode, days, years } = retention;
  return `New objects are kept for ${days === undefined ? countText(years ?? 0, 'year') : countText(days, 'day')} in ${mode.toLowerCase()} mode.`;
}

const EncryptionSetting = ({ bucket }: { bucket: string }) => (
  <Setting
    title="Encryption"
    lead="New objects are marked as encrypted with AES256. On disk, only the machine’s own disk encryption applies."
    read={(signal) => readEncryption(bucket, signal)}
    edit={(isOn, onDone) =>
      openSettingForm({
        title: 'Encryption',
        schema: { properties: { isOn: { type: 'boolean', title: 'Default encryption (AES256)' } } },
        values: { isOn },
        send: (values) => setEncryption(bucket, values.isOn === true),
        onDone,
      })
    }
  >
    {(isOn) => <Badge look={isOn ? 'good' : 'old'} text={isOn ? 'AES256' : 'None'} />}
  </Setting>
);

const WebsiteSetting = ({ bucket }: { bucket: string }) => (
  <Setting
    title="Website"
    lead="Serves the bucket as a website. Visitors are anonymous, so a policy must allow public reads."
    read={(signal) => readWebsite(bucket, signal)}
    edit={(website, onDone) =>
      openSettingForm({
        title: 'Website',
        schema: {
          properties: {
            isOn: { type: 'boolean', title: 'Website enabled', default: true },
            index: { type: 'string', title: 'Index document', default: 'index.html' },
            error: { type: 'string', title: 'Error document' },
            redirectHost: {
              type: 'string',
              title: 'Redirect host',
              ...(website &&
                website.rules > 0 && { description: `Saving deletes ${countText(website.rules, 'routing rule')}.` }),
            },
          },
        },
        ...(website && {
          values: {
            isOn: true,
            index: website.index || 'index.html',
            error: website.error,
            redirectHost: website.redirectHost,
          },
        }),
        send: ({ isOn, index, error, redirectHost }) => {
          const given = { index: textIn(index), error: textIn(error), redirectHost: textIn(redirectHost), rules: 0 };
          return setWebsite(bucket, isOn === true ? given : undefined);
        },
        onDone,
      })
    }
  >
    {(website) =>
      website ? (
        <p>
          <Badge look="good" text="On" /> {websiteText(website)}
        </p>
      ) : (
        <Badge look="old" text="Off" />
      )
    }
  </Setting>
);

function websiteText({ index, error, redirectHost, rules }: Website): string {
  if (redirectHost !== '') return `Redirects all requests to ${redirectHost}.`;
  const parts = [`Index ${index}`, error && `errors ${error}`, rules > 0 && countText(rules, 'routing rule')];
  return `${parts.filter(Boolean).join(', ')}.`;
}
