// Replaces $name, ${name}, ${name:format} and [[name]] in queries and legends, by the rules of Grafana for Prometheus.
import type { Span } from '../../time/time-range.ts';

export interface Selected {
  values: readonly string[];
  isPattern: boolean; // several values are possible, so queries match it as a regular expression
  raw?: string; // replaces the values, unchanged
}

export type Selection = ReadonlyMap<string, Selected>;

const reference = /\$(\w+)|\$\{(\w+)(?:\.[^:^}]+)?(?::([^}]+))?\}|\[\[(\w+)(?::(\w+))?\]\]/g;

export const interpolated = (text: string, selection: Selection): string =>
  text.replace(reference, (whole, short, long, format, old, oldFormat) => {
    const found = selection.get(short ?? long ?? old);
    return found ? formatted(found, format ?? oldFormat) : whole;
  });

export const namesIn = (text: string): string[] =>
  [...text.matchAll(reference)].map(([, short, long, , old]) => short ?? long ?? old ?? '');

const escapedPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\\\$&');
const escapedText = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
const escapedOnce = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

function formatted({ values, isPattern, raw }: Selected, format: string | undefined): string {
  if (raw !== undefined) return raw;
  switch (format) {
    case 'csv':
    case 'raw':
      return values.join(',');
    case 'pipe':
      return values.join('|');
    case 'text':
      return values.join(' + ');
    case 'regex':
      return values.length === 1 ? escapedOnce(values[0] as string) : `(${values.map(escapedOnce).join('|')})`;
    case 'doublequote':
      return values.map((value) => `"${escapedText(value)}"`).join(',');
    default: {
      if (!isPattern) return values.map(escapedText).join(',');
      return values.length === 1 ? escapedPattern(values[0] as string) : `(${values.map(escapedPattern).join('|')})`;
    }
  }
}

const scrapeFactor = 4;

// $__interval, $__rate_interval, $__range and their relatives. A rate needs some samples per interval.
export function builtIns({ fromS, toS }: Span, stepS: number, scrapeS: number): Selection {
  const rangeS = Math.max(1, Math.round(toS - fromS));
  const rateS = Math.max(stepS + scrapeS, scrapeFactor * scrapeS);
  const texts = {
    __interval: `${stepS}s`,
    __interval_ms: `${stepS * 1000}`,
    __rate_interval: `${rateS}s`,
    __rate_interval_ms: `${rateS * 1000}`,
    __range: `${rangeS}s`,
    __range_s: `${rangeS}`,
    __range_ms: `${rangeS * 1000}`,
    __from: `${Math.round(fromS * 1000)}`,
    __to: `${Math.round(toS * 1000)}`,
    __auto: `${stepS}s`,
  };
  return new Map(Object.entries(texts).map(([name, raw]) => [name, { values: [raw], isPattern: false, raw }]));
}
