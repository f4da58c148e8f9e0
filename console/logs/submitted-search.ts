// The submitted search. All parts of the page show answers to the same one.
import { type Span, stepOf } from '../time/time-range.ts';
import type { LogSource } from './sources.ts';

export interface SubmittedSearch {
  source: LogSource;
  query: string; // LogQL
  span: Span; // of whole steps, so that the bars count exactly the listed lines
  stepS: number;
  isFollowing: boolean; // its end is now
}

const pixelsPerBar = 10;

export function wholeSteps({ fromS, toS }: Span, widthPx: number): { span: Span; stepS: number } {
  const stepS = stepOf({ fromS, toS }, widthPx, pixelsPerBar);
  return { span: { fromS: Math.floor(fromS / stepS) * stepS, toS: Math.ceil(toS / stepS) * stepS }, stepS };
}
