// The settings of each request: system prompt, sampling, answer schema and tools.
import { useId } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import type { ChatModel } from './chat-model.ts';
import { exampleSchema, exampleTools, type Settings } from './request.ts';

export function SettingsPanel({ model }: { model: ChatModel }) {
  return (
    <aside class="playground-settings" aria-label="Settings">
      <Area model={model} field="system" title="System prompt" placeholder="You are a helpful assistant." rows={3} />
      <div class="playground-row">
        <Line model={model} field="temperature" title="Temperature" placeholder="0 to 2" />
        <Line model={model} field="maxTokens" title="Max tokens" placeholder="unlimited" />
        <Line model={model} field="seed" title="Seed" placeholder="random" />
      </div>
      <Area model={model} field="schema" title="Answer JSON schema" rows={5} isCode example={exampleSchema} />
      <Area model={model} field="tools" title="Tools" rows={5} isCode example={exampleTools} />
    </aside>
  );
}

interface FieldProps {
  model: ChatModel;
  field: keyof Settings;
  title: string;
  placeholder?: string;
}

function Line({ model, field, title, placeholder }: FieldProps) {
  const id = useId();
  const problem = model.problem.value?.field === field ? model.problem.value.message : '';
  return (
    <div class="field">
      <label for={id}>{title}</label>
      <input
        id={id}
        inputMode="decimal"
        autocomplete="off"
        placeholder={placeholder}
        aria-invalid={problem !== '' || undefined}
        value={model.settings.value[field]}
        onInput={({ currentTarget }) => model.set({ [field]: currentTarget.value })}
      />
      <p class="wrong" aria-live="polite" hidden={problem === ''}>
        {problem}
      </p>
    </div>
  );
}

interface AreaProps extends FieldProps {
  rows: number;
  isCode?: boolean;
  example?: string;
}

function Area({ model, field, title, placeholder, rows, isCode = false, example }: AreaProps) {
  const id = useId();
  const value = model.settings.value[field];
  const problem = model.problem.value?.field === field ? model.problem.value.message : '';
  return (
    <div class="field">
      <div class="playground-label">
        <label for={id}>{title}</label>
        {example !== undefined && (
          <Button
            text={value === '' ? 'Example' : 'Clear'}
            look="plain"
            label={`${value === '' ? 'Example' : 'Clear'}: ${title}`}
            onPress={() => model.set({ [field]: value === '' ? example : '' })}
          />
        )}
      </div>
      <textarea
        id={id}
        class={isCode ? 'code' : undefined}
        rows={value === '' && isCode ? 1 : rows}
        spellcheck={!isCode}
        autocomplete="off"
        placeholder={placeholder}
        aria-invalid={problem !== '' || undefined}
        value={value}
        onInput={({ currentTarget }) => model.set({ [field]: currentTarget.value })}
      />
      <p class="wrong" aria-live="polite" hidden={problem === ''}>
        {problem}
      </p>
    </div>
  );
}
