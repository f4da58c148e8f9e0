// The dialog that creates or changes an alert rule: expression, comparison, duration and channel. The user can test the
// rule before saving it.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import { Actions, Button } from '../../components/button.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Form, type FormValues, type Schema, valuesOf } from '../../components/form.tsx';
import { useAbortSignal } from '../../components/resource.ts';
import { perform } from '../../components/toast.tsx';
import type { Sources } from '../sources.ts';
import { type Channel, listChannels, type Rule, type RuleProperties, saveRule } from './alerting-api.ts';
import { tryRule } from './rule-trial.ts';

export interface RuleFormOptions {
  sources: Sources;
  rule?: Rule; // the rule to change
  values?: FormValues;
  onDone(): void;
}

export function openRuleForm(options: RuleFormOptions): void {
  perform(async () => {
    const channels = await listChannels(options.sources.region);
    openDialog((close) => <RuleForm {...options} channels={channels} close={close} />);
  });
}

interface RuleFormProps extends RuleFormOptions {
  channels: readonly Channel[];
  close(): void;
}

function RuleForm({ sources, rule, values = {}, channels, onDone, close }: RuleFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const signal = useAbortSignal();
  const status = useSignal('');
  const schema = schemaOf(sources, channels, rule === undefined);
  const test = async (): Promise<void> => {
    if (!form.current) return;
    const { pipeline, expression = '', comparison, threshold } = valuesOf(form.current, schema);
    const source = sources.all.find(({ id }) => id === (rule?.properties.pipeline ?? pipeline));
    const condition = {
      expression: String(expression),
      comparison: String(comparison),
      threshold: Number(threshold ?? 0),
    };
    if (source) status.value = await tryRule(source, condition, signal);
  };
  const send = async (sent: FormValues): Promise<void> => {
    await saveRule(sources.region, rule?.id, propertiesOf(sent, rule?.properties));
    close();
    onDone();
  };
  return (
    <Dialog title={rule ? 'Change alert rule' : 'Create alert rule'} close={close}>
      <Form
        class="tall"
        formRef={form}
        schema={schema}
        values={rule ? shownValues(rule.properties, channels) : values}
        submit={rule ? 'Save' : 'Create'}
        cancel={close}
        send={send}
      />
      <Actions>
        <Button text="Test now" look="plain" onPress={() => perform(test)} />
        <p class="status-text" role="status">
          {status}
        </p>
      </Actions>
    </Dialog>
  );
}

const comparisons = {
  '>': 'is above',
  '>=': 'is at or above',
  '<': 'is below',
  '<=': 'is at or below',
  '==': 'is',
  '!=': 'is not',
};

const schemaOf = ({ all }: Sources, channels: readonly Channel[], isNew: boolean): Schema => ({
  properties: {
    name: { type: 'string', title: 'Name', maxLength: 200 },
    pipeline: {
      type: 'string',
      title: 'Pipeline',
      oneOf: all.map(({ id, name }) => ({ const: id, title: name })),
      default: all[0]?.id ?? '',
      readOnly: !isNew,
    },
    expression: { type: 'string', title: 'Expression', format: 'multiline', maxLength: 8192 },
    comparison: {
      type: 'string',
      title: 'Alert if',
      width: 'short',
      oneOf: Object.entries(comparisons).map(([sign, words]) => ({ const: sign, title: `${words} (${sign})` })),
      default: '>',
    },
    threshold: { type: 'number', title: 'Threshold', width: 'short', default: 0 },
    for: {
      type: 'string',
      title: 'For',
      width: 'short',
      description: '30s or 1h30m, for example. 0s alerts immediately.',
      default: '5m',
    },
    labels: {
      type: 'string',
      title: 'Labels',
      format: 'multiline',
      description: 'One per line, for example severity=page. Each alert has these labels.',
    },
    summary: {
      type: 'string',
      title: 'Summary',
      description: 'The text of the notification. {{ $labels.job }} and {{ $value }} are replaced.',
    },
    channel: {
      type: 'string',
      title: 'Channel',
      oneOf: [
        { const: '', title: 'all default channels' },
        ...channels.map(({ id, properties }) => ({ const: id, title: properties.name })),
      ],
      default: '',
    },
  },
  required: ['name', 'expression', 'comparison', 'threshold', 'for'],
});

// A rule stores the name or the id of its channel; the form uses the id.
function shownValues(rule: RuleProperties, channels: readonly Channel[]): FormValues {
  const channel = channels.find(({ id, properties }) => id === rule.channel || properties.name === rule.channel);
  return {
    name: rule.name,
    expression: rule.expression,
    comparison: rule.comparison,
    threshold: rule.threshold,
    for: rule.for,
    labels: Object.entries(rule.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
    summary: rule.annotations.summary ?? '',
    channel: channel?.id ?? '',
  };
}

function propertiesOf(sent: FormValues, before: RuleProperties | undefined): Partial<RuleProperties> {
  const { labels, summary, channel, pipeline, ...rest } = sent;
  const { summary: _, ...others } = before?.annotations ?? {};
  return {
    ...(rest as Partial<RuleProperties>),
    pipeline: before?.pipeline ?? String(pipeline),
    labels: labelsIn(String(labels ?? '')),
    annotations: { ...others, ...(summary !== undefined && { summary: String(summary) }) },
    channel: channel === undefined ? null : String(channel),
  };
}

function labelsIn(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const cut = line.indexOf('=');
      if (cut < 1)
        throw new ApiError(422, [
          { errorCode: '100', message: `[labels] Type name=value instead of '${line.trim()}'.` },
        ]);
      return [line.slice(0, cut).trim(), line.slice(cut + 1).trim()];
    }),
  );
}
