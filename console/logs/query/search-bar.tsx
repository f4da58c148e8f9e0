// The search bar: words, or LogQL with its syntax errors marked, and the chosen filters.
import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useId, useLayoutEffect } from 'preact/hooks';
import { sentencesOf } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { ExpressionProblem } from '../../components/expression-problem.tsx';
import type { LogsModel } from '../logs-model.ts';
import type { Filter } from './filter.ts';
import { placeOf, plainProblem } from './problem.ts';
import { asExpression, asWords, type Search, withoutFilter } from './search.ts';

export function SearchBar({ model, field }: { model: LogsModel; field: RefObject<HTMLTextAreaElement | null> }) {
  const search = model.search.value;
  const text = useSignal(textOf(search));
  const problemId = useId();
  useLayoutEffect(() => {
    text.value = textOf(search);
  }, [search]);
  const failure = model.lines.failure.value;
  const submit = (): void =>
    model.change({ ...search, ...(search.isExpression ? { expression: text.value } : { words: text.value }) });
  const switchTo = (next: Search): void => {
    model.change(next);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') field.current?.blur();
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  };
  const current = { ...search, ...(search.isExpression ? { expression: text.value } : { words: text.value }) };
  return (
    <search class="logs-search">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out like the field next to it */}
      <div class="logs-modes" role="group" aria-label="Search mode">
        <Mode text="Words" isOn={!search.isExpression} onPress={() => switchTo(asWords(current))} />
        <Mode text="LogQL" isOn={search.isExpression} onPress={() => switchTo(asExpression(current))} />
      </div>
      <textarea
        ref={field}
        class={search.isExpression ? 'code' : undefined}
        rows={search.isExpression ? Math.min(8, text.value.split('\n').length) : 1}
        aria-label={search.isExpression ? 'LogQL' : 'Words'}
        placeholder={search.isExpression ? '{tag="web"} |= "error"' : 'timeout "connection refused" -health'}
        spellcheck={false}
        autocomplete="off"
        aria-describedby={problemId}
        aria-invalid={failure !== undefined || undefined}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
        onKeyDown={onKeyDown}
      />
      <Button text="Search" onPress={submit} />
      <div class="problem" id={problemId} aria-live="polite">
        {failure !== undefined && <Problem search={search} error={failure} />}
      </div>
      <Filters model={model} filters={search.isExpression ? [] : search.filters} />
    </search>
  );
}

const textOf = ({ isExpression, words, expression }: Search): string => (isExpression ? expression : words);

const Mode = ({ text, isOn, onPress }: { text: string; isOn: boolean; onPress(): void }) => (
  <button type="button" class="plain" aria-pressed={isOn} onClick={() => !isOn && onPress()}>
    {text}
  </button>
);

function Problem({ search, error }: { search: Search; error: unknown }) {
  const message = sentencesOf(error).join(' ');
  const place = search.isExpression ? placeOf(search.expression.trim(), message) : undefined;
  return <ExpressionProblem message={plainProblem(message)} place={place} />;
}

const Filters = ({ model, filters }: { model: LogsModel; filters: readonly Filter[] }) => (
  <ul class="logs-filters" aria-label="Filters" hidden={filters.length === 0}>
    {filters.map((filter) => (
      <li key={JSON.stringify(filter)} class={filter.isExcluded ? 'excluded' : undefined}>
        <span>
          {filter.name} {filter.isExcluded ? '≠' : '='} <bdi>{filter.value}</bdi>
        </span>
        <button
          type="button"
          class="plain"
          aria-label={`Remove filter ${filter.name} ${filter.value}`}
          onClick={() => model.change(withoutFilter(model.search.value, filter))}
        >
          ×
        </button>
      </li>
    ))}
  </ul>
);

export interface ToggleProps {
  text: string;
  value: Signal<boolean>;
}

export const Toggle = ({ text, value }: ToggleProps) => (
  <button
    type="button"
    class="plain"
    aria-pressed={value.value}
    onClick={() => {
      value.value = !value.value;
    }}
  >
    {text}
  </button>
);
