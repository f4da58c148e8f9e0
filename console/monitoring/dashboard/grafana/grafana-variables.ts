// Converts Grafana's template variables. Variables of data sources are left out, because the chosen pipeline replaces
// the data source.
import { interpolated, type Selection } from '../../variables/interpolation.ts';
import { all, type Variable } from '../../variables/variable.ts';
import { mostVariables } from '../dashboard-file.ts';
import { type Grafana, objectIn, objectsIn, textIn } from './grafana-values.ts';

const kinds: Readonly<Record<string, string>> = {
  query: 'query',
  custom: 'custom',
  constant: 'constant',
  interval: 'interval',
  textbox: 'text',
};

export interface ImportedVariables {
  variables: Variable[];
  dropped: string[]; // names
}

export function variablesOf(dashboard: Grafana, inputs: Selection): ImportedVariables {
  const listed = objectsIn(objectIn(dashboard.templating).list);
  const isData = (one: Grafana): boolean => textIn(one.type) === 'datasource';
  const isKnown = (one: Grafana): boolean => Object.hasOwn(kinds, textIn(one.type)) && /^\w+$/.test(textIn(one.name));
  return {
    variables: listed
      .filter(isKnown)
      .slice(0, mostVariables)
      .map((one) => variableOf(one, inputs)),
    dropped: listed.filter((one) => !isKnown(one) && !isData(one)).map(({ name }) => textIn(name)),
  };
}

function variableOf(found: Grafana, inputs: Selection): Variable {
  const { name, label, type, multi, includeAll, allValue, regex, hide } = found;
  return {
    name: textIn(name),
    kind: kinds[textIn(type)] ?? 'custom',
    query: interpolated(queryIn(found), inputs),
    ...(textIn(label) !== '' && { label: textIn(label).slice(0, 200) }),
    ...(textIn(regex) !== '' && { pattern: textIn(regex) }),
    ...(multi === true && { isMulti: true }),
    ...(includeAll === true && { hasAll: true }),
    ...(textIn(allValue) !== '' && { allValue: textIn(allValue) }),
    ...((hide === 2 || hide === 'hideVariable') && { isHidden: true }),
    current: currentOf(found),
  };
}

// Newer versions store the query in an object.
function queryIn({ query, definition, options }: Grafana): string {
  const text = textIn(query) || textIn(objectIn(query).query) || textIn(definition);
  return (
    text ||
    objectsIn(options)
      .map(({ value }) => textIn(value))
      .filter((value) => value !== '' && value !== all)
      .join(',')
  );
}

function currentOf({ current }: Grafana): string[] {
  const { value } = objectIn(current);
  const values = (Array.isArray(value) ? value : [value]).map(textIn).filter((one) => one !== '');
  return values.includes(all) ? [all] : values.slice(0, 1000);
}

// Constants that a shared dashboard asks for when it is imported.
export const constantsOf = (dashboard: Grafana): Selection =>
  new Map(
    objectsIn(dashboard.__inputs)
      .filter(({ type }) => type === 'constant')
      .map(({ name, value }) => {
        const raw = textIn(value);
        return [textIn(name), { values: [raw], isPattern: false, raw }];
      }),
  );
