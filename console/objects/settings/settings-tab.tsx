// The settings of a bucket that are about its content: versioning, lock, lifecycle, encryption, website, tags; and its
// deletion.
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
        lead="What the bucket holds now, with all versions."
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
      <Section title="Delete the bucket" lead="With everything in it: all objects, versions and unfinished uploads.">
        <Button
          text="Delete bucket"
          look="danger"
          onPress={() => openBucketDeletion(bucket, () => leaveIfGone(bucket, () => query.go({ tab: 'settings' })))}
        />
      </Section>
    </>
  );
}

// What was stopped half-way leaves the bucket.
function leaveIfGone(bucket: string, stay: () => void): void {
  bucketRegion(bucket).then(stay, () => go(bucketsUrl()));
}

const VersioningSetting = ({ bucket }: { bucket: string }) => (
  <Setting
    title="Versioning"
    lead="Objects that are overwritten or deleted stay as older versions."
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
                { const: 'Suspended', title: 'Suspended: what is there stays, nothing new is kept' },
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
  { const: 'GOVERNANCE', title: 'Governance: can be bypassed by those who may' },
  { const: 'COMPLIANCE', title: 'Compliance: by nobody, until the end' },
];

const LockSetting = ({ bucket }: { bucket: string }) => (
  <Setting
    title="Object lock"
    lead="Versions can't be deleted before their time. It needs versioning, and is never switched off again."
    read={(signal) => readLock(bucket, signal)}
    edit={(lock, onDone) =>
      openSettingForm({
        title: 'Object lock',
        schema: {
          properties: {
            mode: {
              type: 'string',
              title: 'Default retention of new objects',
              default: lock?.retention?.mode ?? '',
              oneOf: [{ const: '', title: 'None' }, ...modes],
            },
            days: { type: 'integer', title: 'Days', minimum: 1, maximum: 36_500, width: 'short' },
            years: { type: 'integer', title: 'or years', minimum: 1, maximum: 100, width: 'short' },
          },
        },
        look: 'tall',
        values: {
          ...(lock?.retention?.days !== undefined && { days: lock.retention.days }),
          ...(lock?.retention?.years !== undefined && { years: lock.retention.years }),
        },
        submit: lock ? 'Save' : 'Switch on for good',
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
    lead="AES256 is named in answers about new objects. The disk's own encryption is that of the machine."
    read={(signal) => readEncryption(bucket, signal)}
    edit={(isOn, onDone) =>
      openSettingForm({
        title: 'Encryption',
        schema: { properties: { isOn: { type: 'boolean', title: 'Encrypt new objects by default (AES256)' } } },
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
    lead="The bucket is served as a website. Visitors are anonymous: a policy must let everybody read."
    read={(signal) => readWebsite(bucket, signal)}
    edit={(website, onDone) =>
      openSettingForm({
        title: 'Website',
        schema: {
          properties: {
            isOn: { type: 'boolean', title: 'Serve it as a website', default: true },
            index: { type: 'string', title: 'Index document', default: 'index.html' },
            error: { type: 'string', title: 'Error document' },
            redirectHost: {
              type: 'string',
              title: 'or redirect all requests to this host',
              ...(website &&
                website.rules > 0 && { description: `${countText(website.rules, 'routing rule')} would go.` }),
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
  if (redirectHost !== '') return `All requests go to ${redirectHost}.`;
  const parts = [`Index ${index}`, error && `errors ${error}`, rules > 0 && countText(rules, 'routing rule')];
  return `${parts.filter(Boolean).join(', ')}.`;
}
