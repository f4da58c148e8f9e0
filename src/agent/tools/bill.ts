// The parts of the billing API's answers, and the arguments of the tools.
import { isObject, type Json, type Values } from '../../base/json.ts';
import { Failure } from '../client/failure.ts';
import { pathOf } from '../client/platform-api.ts';
import { flag, optional, type ToolContext, text, textOf } from '../tool.ts';

export const period = text('The month, YYYY-MM', { pattern: '^\\d{4}-\\d{2}$' });
export const zero = optional(flag('Include rows whose quantity is zero'));
export const ofDatacenter = optional(text('Only of the datacenter with this id or name'));

export const get = async (
  { api }: ToolContext,
  path: string,
  args: Values,
  query: Record<string, string> = {},
): Promise<Values> => api.object('billing', pathOf(path, args), query);

// A wrong period is reported without a call to the API.
export function monthOf(args: Values): Values {
  const { period: month, date } = args;
  if (typeof month === 'string' && !(Number(month.slice(5)) >= 1 && Number(month.slice(5)) <= 12))
    throw new Failure(`period: '${month}' is not a valid month. Use YYYY-MM.`);
  if (typeof date === 'string' && Number.isNaN(Date.parse(date)))
    throw new Failure(`date: '${date}' is not a valid day. Use YYYY-MM-DD.`);
  return args;
}

export const listOf = (value: Json | undefined): Values[] => (Array.isArray(value) ? value.filter(isObject) : []);
export const quantityOf = ({ quantity }: Values): number => Number(isObject(quantity) ? quantity.quantity : quantity);
export const quantityIn = (value: Json | undefined): number => (isObject(value) ? Number(value.quantity ?? 0) : 0);
export const byAmount = (a: { amount: number }, b: { amount: number }): number => b.amount - a.amount;
export const unitOf = ({ quantity, unit }: Values): Json => (isObject(quantity) ? quantity.unit : unit) ?? null;
export const wanted = (args: Values, { id: own, name }: Values): boolean => {
  const idOrName = textOf(args, 'datacenter_id')?.toLowerCase();
  return idOrName === undefined || idOrName === own || idOrName === String(name).toLowerCase();
};
