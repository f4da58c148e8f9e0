// Fields that name another thing are chosen from those that are there: a location, an image, a LAN of the same
// datacenter. What is not in the list can be written all the same.
import { type Signal, signal, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { call } from '../../api.ts';
import type { Item } from '../model.ts';
import { nameOf } from '../place.ts';
import type { Choice, Source } from './choice-source.ts';
import type { Json } from './form-value.ts';

// What all controls of a field have.
export interface Shared {
  id: string;
  'aria-describedby': string;
  'aria-invalid': boolean | undefined;
  required: boolean;
  disabled: boolean;
}

const mostChoices = 500;

// What an address answered last. Several fields may ask at one address and offer other things of the same answer.
interface Answer {
  items: Signal<readonly Item[] | undefined>;
  asked?: Promise<readonly Item[]>; // under way
}

const answers = new Map<string, Answer>();

function answerTo({ path, depth = 1 }: Source): Answer & { url: string } {
  const url = `${path}${path.includes('?') ? '&' : '?'}depth=${depth}&limit=${mostChoices}`;
  const answer = answers.get(url) ?? { items: signal<readonly Item[] | undefined>(undefined) };
  answers.set(url, answer);
  return Object.assign(answer, { url });
}

const acceptedBy = ({ accepts }: Source, items: readonly Item[]): readonly Item[] =>
  accepts ? items.filter((item) => accepts(item)) : items;

// Undefined until it is known what there is.
export function choicesOf(source: Source): readonly Choice[] | undefined {
  const items = answerTo(source).items.value;
  if (!items) return undefined;
  const choices = acceptedBy(source, items).flatMap((item) => source.offers?.(item) ?? [choiceOf(source, item)]);
  return [...new Map(choices.map((one) => [one.value, one])).values()];
}

// Asked for each time a form is opened; the last answer stands meanwhile.
export async function loadChoices(source: Source): Promise<readonly Item[]> {
  const answer = answerTo(source);
  answer.asked ??= itemsAt(answer.url).finally(() => {
    delete answer.asked;
  });
  answer.items.value = await answer.asked;
  return acceptedBy(source, answer.items.value);
}

async function itemsAt(url: string): Promise<readonly Item[]> {
  const answer = await call<{ items?: Item[] } & Item>('GET', url);
  const items = answer.items ?? (answer.properties ? [answer] : []); // or the one thing that is there
  return items.map((item) => ({ ...item, properties: item.properties ?? {} }));
}

function choiceOf(source: Source, item: Item): Choice {
  const value = source.value?.(item) ?? item.id;
  const name = nameOf(item);
  const text = name === value ? value : `${name} (${value.length > 20 ? `${value.slice(0, 8)}…` : value})`;
  const note = source.note?.(item);
  return { value, text: note === undefined ? text : `${text}, ${note}` };
}

export interface ChoiceControlProps {
  shared: Shared;
  source: Source;
  isNumber: boolean;
  usual: string | undefined; // what it is when nothing is chosen
  value: Json | undefined;
  set(value: Json | undefined): void;
}

const other = '\u0000other';

export function ChoiceControl({ shared, source, isNumber, usual, value, set }: ChoiceControlProps) {
  const isWritten = useSignal(false);
  useLayoutEffect(() => {
    if (source.path === '') return;
    loadChoices(source).catch(() => {
      isWritten.value = true; // who may not see them can still write one
    });
  }, [source.path]);
  const choices =
    source.values?.map((one) => (typeof one === 'string' ? { value: one, text: one } : one)) ?? choicesOf(source);
  const text = value === undefined || value === null ? '' : String(value);
  const take = (given: string): void => set(given === '' ? undefined : isNumber ? Number(given) : given);
  if (isWritten.value)
    return (
      <input
        {...shared}
        inputMode={isNumber ? 'numeric' : 'text'}
        value={text}
        onInput={(event) => take(event.currentTarget.value)}
      />
    );
  const isListed = text === '' || choices?.some((one) => one.value === text);
  return (
    <select
      {...shared}
      value={text}
      onChange={(event) => {
        if (event.currentTarget.value === other) isWritten.value = true;
        else take(event.currentTarget.value);
      }}
    >
      <option value="">{choices ? (usual === undefined ? '–' : `${usual} (usual)`) : 'Getting what there is …'}</option>
      {!isListed && <option value={text}>{text}</option>}
      {choices?.map((one) => (
        <option key={one.value} value={one.value}>
          {one.text}
        </option>
      ))}
      <option value={other}>Another one …</option>
    </select>
  );
}
