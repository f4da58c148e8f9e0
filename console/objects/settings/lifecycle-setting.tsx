// The lifecycle rules of a bucket, and the form of a rule: conditions and actions.
import { Button, RowActions } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import type { FormValues, Schema } from '../../components/form.tsx';
import { useResource } from '../../components/resource.ts';
import { Empty, Loaded } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { Badge, Section } from '../../components/text.tsx';
import { visible } from '../keys.ts';
import { actionsOf, conditionsOf, type LifecycleRule, readLifecycle, setLifecycle } from '../s3/lifecycle.ts';
import { linesOf, pairsIn } from './pairs.ts';
import { numberIn, openSettingForm, textIn } from './setting.tsx';

export function LifecycleSetting({ bucket }: { bucket: string }) {
  const rules = useResource((signal) => readLifecycle(bucket, signal));
  const reload = (): void => void rules.reload();
  // Reads the rules again before a change, because S3 replaces all rules at once.
  const change = async (make: (now: LifecycleRule[]) => LifecycleRule[]): Promise<void> =>
    setLifecycle(bucket, make(await readLifecycle(bucket)));
  const edit = (rule: LifecycleRule | undefined): void =>
    openSettingForm({
      title: rule ? 'Change lifecycle rule' : 'Create lifecycle rule',
      schema,
      look: 'tall',
      values: rule ? valuesOf(rule) : { isEnabled: true },
      send: (values) => change((now) => replaced(now, rule, ruleFrom(values))),
      onDone: reload,
    });
  const remove = (rule: LifecycleRule): void =>
    confirm({
      title: 'Delete this rule?',
      text: actionsOf(rule).join('. '),
      action: 'Delete',
      act: () => change((now) => now.filter(({ id }) => id !== rule.id)),
      onDone: reload,
    });
  return (
    <Section
      title="Lifecycle"
      lead="Rules are applied once an hour by the region’s clock and count full days."
      actions={<Button text="Create rule" look="plain" onPress={() => edit(undefined)} />}
    >
      <Loaded resource={rules} what="the lifecycle rules">
        {(all) =>
          all.length === 0 ? (
            <Empty text="There are no rules, so objects don’t expire." />
          ) : (
            <Table
              caption="Lifecycle rules"
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Rule', cell: (rule) => <Lines all={actionsOf(rule)} /> },
                { title: 'Objects', cell: (rule) => <Lines all={conditionsOf(rule).map(visible)} /> },
                {
                  title: 'State',
                  cell: ({ isEnabled }) => <Badge look={isEnabled ? 'good' : 'old'} text={isEnabled ? 'On' : 'Off'} />,
                },
                {
                  title: 'Actions',
                  look: 'buttons',
                  cell: (rule) => (
                    <RowActions
                      of={`rule ${rule.id}`}
                      actions={[
                        ['Edit', () => edit(rule)],
                        ['Delete', () => remove(rule)],
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

const Lines = ({ all }: { all: readonly string[] }) => (
  <>
    {all.map((line) => (
      <span key={line} class="ob-line ob-key">
        {line}
      </span>
    ))}
  </>
);

const dayCount = (title: string, description = '') =>
  ({ type: 'integer', title, minimum: 1, width: 'short', ...(description && { description }) }) as const;

const schema: Schema = {
  properties: {
    id: { type: 'string', title: 'Name', maxLength: 255 },
    isEnabled: { type: 'boolean', title: 'Enabled' },
    prefix: { type: 'string', title: 'Key prefix', maxLength: 1024 },
    tags: {
      type: 'string',
      format: 'multiline',
      title: 'Tags',
      description: 'One per line: name = value. Limits the rule to objects with these tags.',
    },
    largerThan: { type: 'integer', title: 'Larger than (bytes)', minimum: 0, width: 'short' },
    smallerThan: { type: 'integer', title: 'Smaller than (bytes)', minimum: 1, width: 'short' },
    expireDays: dayCount('Expire after (days)'),
    expireDate: { type: 'string', title: 'Expire on (date)', pattern: '\\d{4}-\\d\\d-\\d\\d', width: 'short' },
    noncurrentDays: dayCount('Expire older versions after (days)'),
    keepNewer: dayCount('Newer versions to keep'),
    abortDays: dayCount('Abort uploads after (days)'),
    removesMarkers: { type: 'boolean', title: 'Remove expired delete markers' },
  },
};

const valuesOf = ({ tags, ...rule }: LifecycleRule): FormValues =>
  Object.fromEntries(
    Object.entries({ ...rule, tags: linesOf(tags) }).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );

function ruleFrom(values: FormValues): LifecycleRule {
  return {
    id: textIn(values.id),
    isEnabled: values.isEnabled === true,
    prefix: typeof values.prefix === 'string' ? values.prefix : '',
    tags: pairsIn(textIn(values.tags)),
    largerThan: numberIn(values.largerThan),
    smallerThan: numberIn(values.smallerThan),
    expireDays: numberIn(values.expireDays),
    expireDate: textIn(values.expireDate) || undefined,
    removesMarkers: values.removesMarkers === true,
    noncurrentDays: numberIn(values.noncurrentDays),
    keepNewer: numberIn(values.keepNewer),
    abortDays: numberIn(values.abortDays),
  };
}

const replaced = (all: LifecycleRule[], rule: LifecycleRule | undefined, by: LifecycleRule): LifecycleRule[] =>
  rule ? all.map((one) => (one.id === rule.id ? { ...by, id: by.id || rule.id } : one)) : [...all, by];
