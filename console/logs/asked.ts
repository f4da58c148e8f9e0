// What was asked last: all parts of the page show the answer to the same question.
import { type Span, stepOf } from '../time/time-range.ts';
import type { LogSource } from './sources.ts';

export interface Asked {
  source: LogSource;
  query: string; // LogQL
  span: Span; // of whole steps, so that the bars count exactly the lines that are listed
  stepS: number;
  isFollowing: boolean; // its end is now
}

const pixelsPerBar = 10;

export function wholeSteps({ fromS, toS }: Span, widthPx: number): { span: Span; stepS: number } {
  const stepS = stepOf({ fromS, toS }, widthPx, pixelsPerBar);
  return { span: { fromS: Math.floor(fromS / stepS) * stepS, toS: Math.ceil(toS / stepS) * stepS }, stepS };
}
