// Panels that show numbers: stat, gauge, bar gauge and table. Each value is text, so that colours only support it.
// biome-ignore-all lint/a11y/noRedundantRoles: browsers drop the roles of a table with its display
import type { Plot } from '../../plot/plot.ts';
import { formatValue, type Unit } from '../../plot/units.ts';
import { endsOf, type LatestValue, latestValues, type Scale, sparkPoints, tableOf } from './values.ts';

export interface ValueViewProps {
  plot: Plot;
  unit: Unit;
  scale: Scale;
  columns: readonly string[]; // the names of the queries
}

const mostStats = 20;

export function Stat({ plot, unit, scale }: ValueViewProps) {
  const shown = latestValues(plot, unit, scale).slice(0, mostStats);
  return (
    <ul class="stats">
      {shown.map(({ name, full, value, colour, values }) => (
        <li key={full} title={full}>
          {shown.length > 1 && <span class="value-name">{name}</span>}
          <strong class={`value ${colour ?? ''}`}>{formatValue(value, unit, scale.decimals)}</strong>
          <Spark values={values} />
        </li>
      ))}
    </ul>
  );
}

function Spark({ values }: { values: readonly (number | null)[] }) {
  if (values.length < 2) return null;
  return (
    <svg class="spark" viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
      <polyline points={sparkPoints(values)} />
    </svg>
  );
}

const radius = 40;
const arcLength = Math.PI * radius;
const arc = `M 10 50 A ${radius} ${radius} 0 0 1 90 50`;

export function Gauge({ plot, unit, scale }: ValueViewProps) {
  const shown = latestValues(plot, unit, scale).slice(0, mostStats);
  return (
    <ul class="gauges">
      {shown.map((one) => (
        <li key={one.full} title={one.full}>
          <Meter one={one} all={shown} unit={unit} scale={scale}>
            <svg viewBox="0 0 100 56" aria-hidden="true">
              <path class="gauge-track" d={arc} />
              <path
                class={`gauge-fill ${one.colour ?? ''}`}
                d={arc}
                stroke-dasharray={`${arcLength * one.share} 999`}
              />
              <GaugeText text={formatValue(one.value, unit, scale.decimals)} colour={one.colour} />
            </svg>
          </Meter>
          {shown.length > 1 && <span class="value-name">{one.name}</span>}
        </li>
      ))}
    </ul>
  );
}

// Long texts get smaller, so that they fit into the arc.
const GaugeText = ({ text, colour }: { text: string; colour: string | undefined }) => (
  <text x="50" y="50" class={colour} style={{ fontSize: `${Math.min(14, 92 / text.length)}px` }}>
    {text}
  </text>
);

export function BarGauge({ plot, unit, scale }: ValueViewProps) {
  const shown = latestValues(plot, unit, scale);
  return (
    <ul class="bar-gauge">
      {shown.map((one) => (
        <li key={one.full} title={one.full}>
          <span class="value-name">{one.name}</span>
          <Meter one={one} all={shown} unit={unit} scale={scale}>
            <span class={`bar-gauge-fill ${one.colour ?? ''}`} style={{ width: `${one.share * 100}%` }} />
          </Meter>
          <strong class="value">{formatValue(one.value, unit, scale.decimals)}</strong>
        </li>
      ))}
    </ul>
  );
}

interface MeterProps extends Pick<ValueViewProps, 'unit' | 'scale'> {
  one: LatestValue;
  all: readonly LatestValue[];
  children: preact.ComponentChildren;
}

function Meter({ one, all, unit, scale, children }: MeterProps) {
  const [least, most] = endsOf(
    all.map(({ value }) => value),
    unit,
    scale,
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a meter element can't have content
    <div
      class="value-meter"
      role="meter"
      aria-label={one.name}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={Number.isFinite(one.value) ? one.value : least}
      aria-valuetext={formatValue(one.value, unit, scale.decimals)}
    >
      {children}
    </div>
  );
}

export function Values({ plot, unit, scale, columns }: ValueViewProps) {
  const table = tableOf(plot, columns);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section class="legend whole" aria-label="Values" tabIndex={0}>
      <table role="table" class="lines value-table">
        <caption class="unseen">Values by labels</caption>
        <thead role="rowgroup">
          <tr role="row">
            {[...table.labels, ...table.columns].map((title, at) => (
              <th key={at} scope="col" role="columnheader">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {table.rows.map(({ cells, values }, at) => (
            <tr key={at} role="row">
              {cells.map((cell, column) => (
                <td key={column} role="cell">
                  {cell}
                </td>
              ))}
              {values.map((value, column) => (
                <td key={column} role="cell" class="number">
                  {value === undefined ? '–' : formatValue(value, unit, scale.decimals)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
