// The fields of the lines with their most frequent values, each of which can be included or excluded.
import { useId } from 'preact/hooks';
import { sentencesOf } from '../../api.ts';
import type { Filter } from '../query/filter.ts';
import { type FieldName, type FieldsModel, type FieldValue, mostValues, type OpenedField } from './fields-model.ts';

export interface FieldsPanelProps {
  model: FieldsModel;
  onFilter(filter: Filter): void;
}

export function FieldsPanel({ model, onFilter }: FieldsPanelProps) {
  const answer = model.names.answer.value;
  const names = answer && 'value' in answer ? answer.value : [];
  const labels = names.filter(({ origin }) => origin === 'label');
  const fields = names.filter(({ origin }) => origin !== 'label');
  return (
    <aside class="logs-fields" aria-label="Fields">
      {answer && 'error' in answer && <p class="problem">{sentencesOf(answer.error).join(' ')}</p>}
      <Group title="Labels" names={labels} model={model} onFilter={onFilter} />
      <Group title="Fields in lines" names={fields} model={model} onFilter={onFilter} />
    </aside>
  );
}

interface GroupProps extends FieldsPanelProps {
  title: string;
  names: readonly FieldName[];
}

function Group({ title, names, model, onFilter }: GroupProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} hidden={names.length === 0}>
      <h2 id={id}>{title}</h2>
      <ul>
        {names.map((field) => {
          const opened = model.openedOf(field);
          return (
            <li key={`${field.origin} ${field.name}`}>
              <button
                type="button"
                class="plain logs-field"
                aria-expanded={opened !== undefined}
                onClick={() => model.toggle(field)}
              >
                <span>{field.name}</span>
                {field.cardinality !== undefined && <small>{field.cardinality}</small>}
              </button>
              {opened && <Values opened={opened} onFilter={onFilter} />}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Values({ opened: { field, values }, onFilter }: Pick<GroupProps, 'onFilter'> & { opened: OpenedField }) {
  const answer = values.answer.value;
  if (!answer) return <p class="logs-note">Counting …</p>;
  if ('error' in answer) return <p class="problem">{sentencesOf(answer.error).join(' ')}</p>;
  if (answer.value.length === 0) return <p class="logs-note">No line has this field.</p>;
  const most = answer.value[0]?.count ?? 1;
  return (
    <>
      <ul class="logs-values">
        {answer.value.map((one) => (
          <Value key={one.value} field={field} one={one} most={most} onFilter={onFilter} />
        ))}
      </ul>
      {answer.value.length >= mostValues && <p class="logs-note">The most frequent {mostValues}.</p>}
    </>
  );
}

interface ValueProps {
  field: FieldName;
  one: FieldValue;
  most: number;
  onFilter(filter: Filter): void;
}

const Value = ({ field: { name, origin }, one: { value, count }, most, onFilter }: ValueProps) => (
  <li>
    <meter class="unseen" min={0} max={most} value={count} aria-label={`Lines with ${value}`} />
    <span class="logs-share" style={{ width: `${(100 * count) / most}%` }} aria-hidden="true" />
    <bdi title={value}>{value}</bdi>
    <small>{count.toLocaleString()}</small>
    <FilterButtons name={name} value={value} onFilter={(isExcluded) => onFilter({ name, origin, value, isExcluded })} />
  </li>
);

export interface FilterButtonsProps {
  name: string;
  value: string;
  onFilter(isExcluded: boolean): void;
}

export const FilterButtons = ({ name, value, onFilter }: FilterButtonsProps) => (
  <span class="logs-filter-buttons">
    <button
      type="button"
      class="plain"
      aria-label={`Only ${name} ${value}`}
      title="Include"
      onClick={() => onFilter(false)}
    >
      +
    </button>
    <button
      type="button"
      class="plain"
      aria-label={`Without ${name} ${value}`}
      title="Exclude"
      onClick={() => onFilter(true)}
    >
      −
    </button>
  </span>
);
