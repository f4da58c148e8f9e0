// The lines of a search as a file, read in pages, newest first, up to a number that a browser can hold.

import { askRange, nsOf } from '../loki.ts';
import type { SubmittedSearch } from '../submitted-search.ts';
import type { AskLines } from './lines-model.ts';
import { exactTime, type LogLine, later, linesOf } from './log-line.ts';

export type FileForm = 'ndjson' | 'text';

export const mostSaved = 100_000;
const savedPage = 5000; // the interface's maximum

export interface Saved {
  parts: string[];
  count: number;
  isCut: boolean; // there are more lines
}

export async function savedLines(
  submitted: SubmittedSearch,
  form: FileForm,
  signal: AbortSignal,
  onProgress: (count: number) => void,
  askPage: AskLines = ({ source }, question, ending) => askRange(source, question, ending),
): Promise<Saved> {
  const saved: Saved = { parts: [], count: 0, isCut: false };
  const seen = new Set<string>(); // keys of lines at the end of a page
  let endNs = nsOf(submitted.span.toS);
  for (;;) {
    const limit = Math.min(savedPage, mostSaved - saved.count + seen.size);
    const times = { startNs: nsOf(submitted.span.fromS), endNs };
    const answer = await askPage(submitted, { query: submitted.query, ...times, direction: 'backward', limit }, signal);
    const page = answer.resultType === 'streams' ? linesOf(answer.result) : [];
    const fresh = page.filter(({ key }) => !seen.has(key));
    if (fresh.length > 0) saved.parts.push(fresh.map((line) => rendered(line, form)).join(''));
    saved.count += fresh.length;
    onProgress(saved.count);
    const oldest = page.at(-1);
    if (page.length < limit || !oldest) return saved;
    if (saved.count >= mostSaved) return { ...saved, isCut: true };
    endNs = fresh.length > 0 ? later(oldest.timeNs, 1n) : oldest.timeNs;
    if (fresh.length > 0) seen.clear();
    for (const { key, timeNs } of page) if (timeNs === oldest.timeNs) seen.add(key);
  }
}

function rendered({ timeNs, labels, metadata, text }: LogLine, form: FileForm): string {
  const time = exactTime(timeNs);
  if (form === 'text') return `${time} ${text}\n`;
  return `${JSON.stringify({ time, labels, ...(Object.keys(metadata).length > 0 && { metadata }), line: text })}\n`;
}
