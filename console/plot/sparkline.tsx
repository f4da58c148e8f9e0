// A small line without axes, for a page that leads to the charts.
import { sparkPath } from './spark-path.ts';

export interface SparklineProps {
  label: string; // for screen readers
  values: readonly (number | null)[];
  most?: number; // the upper end; default: the largest value
}

const [width, height] = [120, 28];

export const Sparkline = ({ label, values, most }: SparklineProps) => (
  <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} preserveAspectRatio="none">
    <path d={sparkPath(values, { width, height, ...(most !== undefined && { most }) })} />
  </svg>
);
