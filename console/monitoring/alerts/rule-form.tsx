// The dialog that makes or changes an alert rule: an expression, its comparison, for how long, and who is told. The
// rule can be tried before it is saved.
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
  rule?: Rule; // the one that is changed
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
    <Dialog title={rule ? 'Change the alert rule' : 'New alert rule'} close={close}>
      <Form
        class="tall"
        formRef={form}
        schema={schema}
        values={rule ? shownValues(rule.properties, channels) : values}
        submit={rule ? 'Save' : 'Make rule'}
        cancel={close}
        send={send}
      />
      <Actions>
        <Button text="Try it now" look="plain" onPress={() => perform(test)} />
        <p class="told" role="status">
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
      title: 'Alert when it',
      width: 'short',
      oneOf: Object.entries(comparisons).map(([sign, words]) => ({ const: sign, title: `${words} (${sign})` })),
      default: '>',
    },
    threshold: { type: 'number', title: 'Threshold', width: 'short', default: 0 },
    for: {
      type: 'string',
      title: 'For',
      width: 'short',
      description: 'Such as 30s or 1h30m; 0s is at once.',
      default: '5m',
    },
    labels: {
      type: 'string',
      title: 'Labels',
      format: 'multiline',
      description: 'One in a line, such as severity=page. They go with the alert.',
    },
    summary: {
      type: 'string',
      title: 'Summary',
      description: 'What is told. {{ $labels.job }} and {{ $value }} stand for what they name.',
    },
    channel: {
      type: 'string',
      title: 'Tell',
      oneOf: [
        { const: '', title: 'every channel that takes all' },
        ...channels.map(({ id, properties }) => ({ const: id, title: properties.name })),
      ],
      default: '',
    },
  },
  required: ['name', 'expression', 'comparison', 'threshold', 'for'],
});

// A channel is kept by its name or by its id; here it is chosen by its id.
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
        throw new ApiError(422, [{ errorCode: '100', message: `[labels] ${line.trim()} is not name=value.` }]);
      return [line.slice(0, cut).trim(), line.slice(cut + 1).trim()];
    }),
  );
}
