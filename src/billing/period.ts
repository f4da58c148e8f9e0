// Months and days of bills in UTC, in the form of the API.
import { iso } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';

export interface Period {
  name: string; // 2026-11, or 2026-11-17
  from: number; // ms, included
  to: number; // not included
}

export const minuteMs = 60_000;
export const dayMs = 86_400_000;

export const monthAt = (now: number): Period => monthNamed(iso(now).slice(0, 7));

export function monthOf(text: string): Period {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw wrong('a period YYYY-MM', text);
  return monthNamed(text);
}

export function dayOf(text: string): Period {
  const from = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(from) || dateText(from) !== text) throw wrong('a date YYYY-MM-DD', text);
  return { name: text, from, to: from + dayMs };
}

export const monthAfter = (month: Period): Period => monthAt(month.to);
export const dateText = (time: number): string => iso(time).slice(0, 10);

function monthNamed(name: string): Period {
  const [year = 0, month = 0] = name.split('-').map(Number);
  return { name, from: Date.UTC(year, month - 1), to: Date.UTC(year, month) };
}

const wrong = (expected: string, text: string): Fault =>
  new Fault('refused', `Expected ${expected}, got '${text.slice(0, 40)}'.`);
