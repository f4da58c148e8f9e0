// Reads the values of variables from a source of metrics.
import { seriesText } from '../../plot/plot.ts';
import { labelsOf, labelValues, metricNames, queryInstant } from '../prometheus.ts';
import type { Source } from '../sources.ts';
import type { VariableQuery } from './variable.ts';

export async function readValues(
  source: Source,
  query: VariableQuery,
  nowS: () => Promise<number>,
  signal: AbortSignal,
): Promise<string[]> {
  switch (query.kind) {
    case 'labelValues':
      return labelValues(source, query.label, query.selector, signal);
    case 'labelNames':
      return labelsOf(source, query.selector || '{__name__!=""}', signal);
    case 'metrics': {
      const pattern = new RegExp(query.pattern);
      return (await metricNames(source, signal)).filter((name) => pattern.test(name));
    }
    case 'result': {
      const { data } = await queryInstant(source, query.expression, await nowS(), signal);
      return data.flatMap(({ metric, values }) =>
        values.map(([timeS, value]) => `${seriesText(metric).replaceAll(', ', ',')} ${value} ${timeS * 1000}`),
      );
    }
  }
}
