// Selects series of a metric: filters on labels, and the label to split by. The source provides labels and values.
import { useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Choice, Select, TextInput } from '../../components/field.tsx';
import type { ExplorerModel, FilterRow } from './explorer-model.ts';
import type { Operator } from './expression.ts';

const meanings: Record<Operator, string> = { '=': 'is', '!=': 'is not', '=~': 'matches', '!~': 'does not match' };

export function LabelFilters({ model }: { model: ExplorerModel }) {
  const more = useRef<HTMLButtonElement>(null);
  const labels = model.labels.value;
  const options = labels.filter((label) => label !== 'le').map((label) => [label, label] as const);
  const remove = (row: FilterRow): void => {
    more.current?.focus();
    model.removeFilter(row);
  };
  return (
    <div class="labels">
      <Select
        title="Split by"
        value={model.by.value}
        options={[['', 'nothing'], ...options]}
        onChange={(label) => {
          model.by.value = label;
          model.rewrite();
        }}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out like the fields next to it */}
      <div class="field wide" role="group" aria-label="Filters">
        <div class="filters">
          {model.filters.value.map((row) => (
            <FilterFields key={row.id} row={row} model={model} onRemove={() => remove(row)} />
          ))}
        </div>
        <Button
          text="Add filter"
          ref={more}
          look="plain"
          disabled={labels.length === 0}
          onPress={() => model.addFilter()}
        />
      </div>
    </div>
  );
}

function FilterFields({ row, model, onRemove }: { row: FilterRow; model: ExplorerModel; onRemove(): void }) {
  const listId = useId();
  const first = useRef<HTMLSelectElement>(null);
  const values = useSignal<readonly string[]>([]);
  const label = row.label.value;
  useLayoutEffect(() => first.current?.focus(), []);
  useLayoutEffect(() => {
    model.valuesOf(label).then(
      (found) => {
        if (row.label.value === label) values.value = found;
      },
      () => undefined, // the user can still type the value
    );
  }, [label]);
  return (
    <div class="filter">
      <Choice
        ref={first}
        label="Label"
        value={label}
        options={model.labels.value.map((one) => [one, one])}
        onChange={(one) => {
          row.label.value = one;
          if (row.value.value !== '') model.rewrite();
        }}
      />
      <Choice
        label="Comparison"
        value={row.operator.value}
        options={Object.entries(meanings)}
        onChange={(operator) => {
          row.operator.value = operator as Operator;
          model.rewrite();
        }}
      />
      <TextInput aria-label="Value" list={listId} value={row.value} onChange={() => model.rewrite()} />
      <datalist id={listId}>
        {values.value.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <Button text="Remove" look="plain" label="Remove filter" onPress={onRemove} />
    </div>
  );
}
