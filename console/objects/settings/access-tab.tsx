// The tab Access of a bucket: public access, policy, cross-origin rules, access control list and ownership.
import { Button, RowActions } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import type { FormValues, Schema } from '../../components/form.tsx';
import { useResource } from '../../components/resource.ts';
import { Empty, Loaded } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { Badge, Section } from '../../components/text.tsx';
import { resourceUrl } from '../../urls.ts';
import type { BucketTabProps } from '../bucket-tab.ts';
import { bucketFacts } from '../s3/buckets.ts';
import {
  blocks,
  type CorsRule,
  type PublicAccessBlock,
  readCors,
  readGrants,
  readOwnership,
  readPublicAccess,
  setCannedAcl,
  setCors,
  setOwnership,
  setPublicAccess,
} from '../s3/configuration.ts';
import { PolicyEditor } from './policy-editor.tsx';
import { linesIn, numberIn, openSettingForm, Setting, textIn } from './setting.tsx';

export const AccessTab = ({ bucket }: BucketTabProps) => (
  <>
    <p class="lead">
      Programs sign calls with <a href={resourceUrl('objectstorage', '/accesskeys')}>access keys</a>, which have the
      rights of their user.
    </p>
    <PublicAccess bucket={bucket} />
    <PolicyEditor bucket={bucket} />
    <Cors bucket={bucket} />
    <Setting
      title="Access control list"
      lead="The older way to grant access. It has no effect while ownership is enforced. Prefer a policy."
      read={(signal) => readGrants(bucket, signal)}
      edit={(_, onDone) =>
        openSettingForm({
          title: 'Access control list',
          schema: {
            properties: {
              name: {
                type: 'string',
                title: 'List',
                default: 'private',
                oneOf: [
                  { const: 'private', title: 'Private: only the owner' },
                  { const: 'public-read', title: 'Anyone can list' },
                  { const: 'public-read-write', title: 'Anyone can list, write and delete' },
                  { const: 'authenticated-read', title: 'All users of the region can list' },
                ],
              },
            },
            required: ['name'],
          },
          send: ({ name }) => setCannedAcl(bucket, textIn(name)),
          onDone,
        })
      }
    >
      {(grants) => (
        <ul class="ob-tags">
          {grants.map(({ grantee, permission }) => (
            <li key={`${grantee} ${permission}`}>{`${grantee}: ${permission}`}</li>
          ))}
        </ul>
      )}
    </Setting>
    <Setting
      title="Ownership"
      lead="If enforced, access control lists have no effect, and only policies grant access."
      read={(signal) => readOwnership(bucket, signal)}
      edit={(now, onDone) =>
        openSettingForm({
          title: 'Ownership',
          schema: {
            properties: {
              ownership: {
                type: 'string',
                title: 'Ownership mode',
                default: now,
                oneOf: [
                  { const: '', title: 'Not set' },
                  { const: 'BucketOwnerEnforced', title: 'Enforced' },
                  { const: 'BucketOwnerPreferred', title: 'Preferred' },
                  { const: 'ObjectWriter', title: 'Object writer' },
                ],
              },
            },
          },
          send: ({ ownership }) => setOwnership(bucket, textIn(ownership)),
          onDone,
        })
      }
    >
      {(ownership) => <p>{ownership || 'Not set'}</p>}
    </Setting>
  </>
);

const blockTitles: Readonly<Record<(typeof blocks)[number], string>> = {
  BlockPublicAcls: 'Refuse public access control lists',
  IgnorePublicAcls: 'Ignore public access control lists',
  BlockPublicPolicy: 'Refuse public policies',
  RestrictPublicBuckets: 'Limit public policies to the own contract',
};

const PublicAccess = ({ bucket }: { bucket: string }) => (
  <Setting
    title="Public access"
    lead="Blocks anonymous access, whatever policies and access control lists allow."
    read={async (signal) => ({
      block: await readPublicAccess(bucket, signal),
      isPublic: (await bucketFacts(bucket, signal)).isPublic,
    })}
    edit={({ block }, onDone) =>
      openSettingForm({
        title: 'Public access',
        schema: {
          properties: Object.fromEntries(
            blocks.map((name) => [name, { type: 'boolean' as const, title: blockTitles[name] }]),
          ),
        },
        values: block,
        send: (values) =>
          setPublicAccess(
            bucket,
            Object.fromEntries(blocks.map((name) => [name, values[name] === true])) as PublicAccessBlock,
          ),
        onDone,
      })
    }
  >
    {({ block, isPublic }) => (
      <>
        <p>
          <Badge look={isPublic ? 'waits' : 'good'} text={isPublic ? 'Public' : 'Not public'} />
        </p>
        <ul class="ob-tags">
          {blocks
            .filter((name) => block[name])
            .map((name) => (
              <li key={name}>{blockTitles[name]}</li>
            ))}
        </ul>
      </>
    )}
  </Setting>
);

const corsSchema: Schema = {
  properties: {
    origins: {
      type: 'string',
      format: 'multiline',
      title: 'Origins',
      description: 'One per line: https://app.example, or *.',
    },
    methods: { type: 'string', title: 'Methods', default: 'GET, HEAD', description: 'GET, PUT, POST, DELETE, HEAD' },
    headers: { type: 'string', title: 'Allowed headers', default: '*' },
    exposed: { type: 'string', title: 'Exposed headers', default: 'ETag' },
    maxAgeS: { type: 'integer', title: 'Max age (seconds)', minimum: 0 },
  },
  required: ['origins', 'methods'],
};

const corsValues = ({ origins, methods, headers, exposed, maxAgeS }: CorsRule): FormValues => ({
  origins: origins.join('\n'),
  methods: methods.join(', '),
  headers: headers.join(', '),
  exposed: exposed.join(', '),
  ...(maxAgeS !== undefined && { maxAgeS }),
});

const corsFrom = (values: FormValues): CorsRule => ({
  origins: linesIn(values.origins),
  methods: linesIn(values.methods).map((method) => method.toUpperCase()),
  headers: linesIn(values.headers),
  exposed: linesIn(values.exposed),
  maxAgeS: numberIn(values.maxAgeS),
});

function Cors({ bucket }: { bucket: string }) {
  const rules = useResource((signal) => readCors(bucket, signal));
  const reload = (): void => void rules.reload();
  const edit = (all: readonly CorsRule[], at: number): void => {
    const rule = all[at];
    openSettingForm({
      title: rule ? 'Change cross-origin rule' : 'Create cross-origin rule',
      schema: corsSchema,
      ...(rule && { values: corsValues(rule) }),
      send: (values) => setCors(bucket, all.toSpliced(at, 1, corsFrom(values))),
      onDone: reload,
    });
  };
  const remove = (all: readonly CorsRule[], at: number): void =>
    confirm({
      title: 'Delete this rule?',
      text: `Pages of ${all[at]?.origins.join(', ')} can no longer call the bucket.`,
      action: 'Delete',
      act: () => setCors(bucket, all.toSpliced(at, 1)),
      onDone: reload,
    });
  const answer = rules.answer.value;
  const known = answer && 'value' in answer ? answer.value : undefined;
  return (
    <Section
      title="Cross-origin rules (CORS)"
      lead="Pages of these origins can call the bucket from a browser."
      actions={
        known && (
          <Button
            text="Create rule"
            look="plain"
            label="Create cross-origin rule"
            onPress={() => edit(known, known.length)}
          />
        )
      }
    >
      <Loaded resource={rules} what="the cross-origin rules">
        {(all) =>
          all.length === 0 ? (
            <Empty text="There are no rules, so pages of other origins can’t call the bucket." />
          ) : (
            <Table
              caption="Cross-origin rules"
              rows={all.map((rule, at) => ({ ...rule, at }))}
              keyOf={({ at }) => String(at)}
              columns={[
                { title: 'Origins', cell: ({ origins }) => origins.join(', ') },
                { title: 'Methods', cell: ({ methods }) => methods.join(', ') },
                { title: 'Headers', cell: ({ headers }) => headers.join(', ') },
                {
                  title: 'Actions',
                  look: 'buttons',
                  cell: ({ at }) => (
                    <RowActions
                      of={`cross-origin rule ${at + 1}`}
                      actions={[
                        ['Edit', () => edit(all, at)],
                        ['Delete', () => remove(all, at)],
                      ]}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
