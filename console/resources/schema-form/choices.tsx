// A select field for references to other resources: a location, an image, a LAN of the same datacenter. Other values
// can be typed.
import { type Signal, signal, useSignal } from '@preact/signals';
import { useContext, useLayoutEffect } from 'preact/hooks';
import { call } from '../../api.ts';
import type { Item } from '../model.ts';
import { nameOf, shortId } from '../place.ts';
import type { Choice, Creation, Source } from './choice-source.ts';
import { CreationOpener } from './creation-opener.ts';
import type { Json } from './form-value.ts';

// Attributes that all controls share.
export interface Shared {
  id: string;
  'aria-describedby': string;
  'aria-invalid': boolean | undefined;
  required: boolean;
  disabled: boolean;
}

const maxChoices = 500;

// The last response of an address. Several fields may use different parts of one response.
interface Answer {
  items: Signal<readonly Item[] | undefined>;
  loading?: Promise<readonly Item[]>;
}

const answers = new Map<string, Answer>();

function answerTo({ path, depth = 1 }: Source): Answer & { url: string } {
  const url = `${path}${path.includes('?') ? '&' : '?'}depth=${depth}&limit=${maxChoices}`;
  const answer = answers.get(url) ?? { items: signal<readonly Item[] | undefined>(undefined) };
  answers.set(url, answer);
  return Object.assign(answer, { url });
}

const acceptedBy = ({ accepts }: Source, items: readonly Item[]): readonly Item[] =>
  accepts ? items.filter((item) => accepts(item)) : items;

// Undefined until the choices are loaded.
export function choicesOf(source: Source): readonly Choice[] | undefined {
  const items = answerTo(source).items.value;
  if (!items) return undefined;
  const choices = acceptedBy(source, items).flatMap((item) => source.offers?.(item) ?? [choiceOf(source, item)]);
  return [...new Map(choices.map((one) => [one.value, one])).values()];
}

// Reloads the choices when a form opens. Until then the last response is shown.
export async function loadChoices(source: Source): Promise<readonly Item[]> {
  const answer = answerTo(source);
  answer.loading ??= (source.load?.() ?? itemsAt(answer.url)).finally(() => {
    delete answer.loading;
  });
  answer.items.value = await answer.loading;
  return acceptedBy(source, answer.items.value);
}

async function itemsAt(url: string): Promise<readonly Item[]> {
  const answer = await call<{ items?: Item[] } & Item>('GET', url);
  const items = answer.items ?? (answer.properties ? [answer] : []); // or a single resource
  return items.map((item) => ({ ...item, properties: item.properties ?? {} }));
}

function choiceOf(source: Source, item: Item): Choice {
  const value = source.value?.(item) ?? item.id;
  const name = nameOf(item);
  const text = name === value ? value : `${name} (${shortId(value)})`;
  const note = source.note?.(item);
  return { value, text: note === undefined ? text : `${text}, ${note}` };
}

export interface ChoiceControlProps {
  shared: Shared;
  source: Source;
  isNumber: boolean;
  usual: string | undefined; // the default
  value: Json | undefined;
  set(value: Json | undefined): void;
}

const other = '\u0000other';
const fresh = '\u0000new';

export function ChoiceControl({ shared, source, isNumber, usual, value, set }: ChoiceControlProps) {
  const isTyped = useSignal(false);
  const openCreation = useContext(CreationOpener);
  useLayoutEffect(() => {
    if (source.path === '') return;
    loadChoices(source).catch(() => {
      isTyped.value = true; // a user who may not list them can type a value
    });
  }, [source.path]);
  const choices =
    source.values?.map((one) => (typeof one === 'string' ? { value: one, text: one } : one)) ?? choicesOf(source);
  const text = value === undefined || value === null ? '' : String(value);
  const take = (given: string): void => set(given === '' ? undefined : isNumber ? Number(given) : given);
  if (isTyped.value)
    return (
      <input
        {...shared}
        inputMode={isNumber ? 'numeric' : 'text'}
        value={text}
        onInput={(event) => take(event.currentTarget.value)}
      />
    );
  const create = (creation: Creation): void => {
    const known = new Set(choicesOf(source)?.map((one) => one.value));
    const onCreated = async (): Promise<void> => {
      await loadChoices(source);
      const created = choicesOf(source)?.find((one) => !known.has(one.value));
      if (created) take(created.value);
    };
    openCreation?.(creation, onCreated);
  };
  const isListed = text === '' || choices?.some((one) => one.value === text);
  return (
    <select
      {...shared}
      value={text}
      onChange={(event) => {
        const { value: picked } = event.currentTarget;
        if (picked === other) isTyped.value = true;
        else if (picked === fresh && source.creation) {
          event.currentTarget.value = text; // until the new resource exists
          create(source.creation);
        } else take(picked);
      }}
    >
      <option value="">{choices ? (usual === undefined ? '–' : `${usual} (default)`) : 'Loading …'}</option>
      {!isListed && <option value={text}>{text}</option>}
      {choices?.map((one) => (
        <option key={one.value} value={one.value}>
          {one.text}
        </option>
      ))}
      {openCreation && source.creation && <option value={fresh}>{source.creation.title} …</option>}
      <option value={other}>Other value …</option>
    </select>
  );
}
