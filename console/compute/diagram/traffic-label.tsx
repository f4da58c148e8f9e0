// The rate of an edge, next to its server or device, where edges are spread.
import type { Point } from './layout.ts';
import { bytesText, type EdgeTraffic, packetsText, rateText } from './live-traffic.ts';

export interface TrafficLabelProps {
  rate: EdgeTraffic;
  points: readonly Point[]; // of the edge
}

const above = { bytes: -21, packets: -7 };
const below = { bytes: 16, packets: 30 };

export function TrafficLabel({ rate, points }: TrafficLabelProps) {
  const place = rate.isAtEnd ? points.at(-1) : points[0];
  if (!place) return null;
  const { x, y } = place;
  const from = rate.isAtEnd ? above : below;
  return (
    <g class="dc-rate">
      <title>{rateText(rate)}</title>
      <text x={x} y={y + from.bytes}>
        {bytesText(rate)}
      </text>
      <text class="packets" x={x} y={y + from.packets}>
        {packetsText(rate)}
      </text>
    </g>
  );
}
