// The state of the palette: what was written, what it found, and the thing whose actions are chosen from.
import { batch, computed, signal } from '@preact/signals';
import type { ThingAction } from '../resources/actions/thing-action.ts';
import type { Item, ResourceModel } from '../resources/model.ts';
import { filled, itemPath, matched, nameOf, placeUrl } from '../resources/place.ts';
import { type Models, thingAt } from '../resources/things.ts';
import { lower } from '../resources/words.ts';
import { commandsIn, isMeant } from './commands.ts';
import {
  acrossEntries,
  askedFor,
  type Entry,
  entriesHere,
  inOrder,
  type Making,
  madeIn,
  matching,
  nestedEntries,
  resourceEntries,
} from './entries.ts';
import { type Actable, pageOf, type Thing, thingHere } from './thing-pages.ts';

export interface PaletteTools {
  pathname: string; // of the page below it
  pages: readonly Entry[];
  actions: readonly Entry[]; // that are everywhere
  models(): Promise<Models>;
  search(text: string, signal: AbortSignal): Promise<readonly Thing[]>;
  actionsOf(models: Models, path: string, signal: AbortSignal): Promise<Actable>;
  list(model: ResourceModel, path: string, signal: AbortSignal): Promise<readonly Item[]>;
}

// What is chosen from instead of everything: the actions of a thing, or the things that a new one may be in.
export interface Within {
  name: string;
  question: string;
  entries: readonly Entry[];
}

const mostShown = 12;
const mostTried = 5; // things whose state is read for a command
const leastLetters = 2;

export class PaletteState {
  readonly text = signal('');
  readonly chosen = signal(0);
  readonly within = signal<Within | undefined>(undefined);
  readonly #tools: PaletteTools;
  readonly #signal: AbortSignal;
  readonly #models = signal<Models>([]);
  readonly #here = signal<readonly Entry[]>([]);
  readonly #things = signal<readonly Entry[]>([]);
  readonly #commands = signal<readonly Entry[]>([]);

  constructor(tools: PaletteTools, aborted: AbortSignal) {
    this.#tools = tools;
    this.#signal = aborted;
  }

  readonly #fixed = computed(() => [
    ...this.#here.value,
    ...this.#tools.pages,
    ...entriesHere(this.#models.value, this.#tools.pathname),
    ...resourceEntries(this.#models.value),
    ...acrossEntries(this.#models.value),
    ...nestedEntries(this.#models.value),
    ...this.#tools.actions,
  ]);

  readonly entries = computed((): readonly Entry[] => {
    const text = this.text.value;
    const within = this.within.value;
    if (within) return matching(within.entries, text);
    const fixed = matching(this.#fixed.value, text).slice(0, mostShown);
    return unique(inOrder([...this.#commands.value, ...fixed], this.#things.value, text));
  });

  // What is known of resources, and what can be done with the thing that the page is about.
  async begin(making?: Making): Promise<void> {
    const models = await this.#tools.models();
    this.#models.value = models;
    if (making) await this.ask(making);
    const path = thingHere(models, this.#tools.pathname);
    if (path === undefined) return;
    const here = await this.#tools.actionsOf(models, path, this.#signal).catch(() => undefined);
    if (here) this.#here.value = entriesOf(here);
  }

  write(text: string): void {
    batch(() => {
      this.text.value = text;
      this.chosen.value = 0;
    });
  }

  // Things by their names, and commands that name one. What can't be found out is not offered.
  async look(signal: AbortSignal): Promise<void> {
    const text = this.text.value.trim();
    if (this.within.value || text.length < leastLetters) {
      batch(() => {
        this.#things.value = [];
        this.#commands.value = [];
      });
      return;
    }
    if (this.#models.value.length === 0) this.#models.value = await this.#tools.models(); // `begin` may be late
    if (signal.aborted) return;
    const commands = commandsIn(text).filter(({ verb }) => this.#isKnown(verb));
    await Promise.all([
      this.#search(text, signal).then((things) => {
        if (!signal.aborted) this.#things.value = things.map((one) => this.#entryOf(one));
      }),
      Promise.all(
        commands.map(async ({ verb, thing }) => {
          const found = (await this.#search(thing, signal)).slice(0, mostTried);
          return Promise.all(found.map((one) => this.#commandsOf(one, verb, signal)));
        }),
      ).then((entries) => {
        if (!signal.aborted) this.#commands.value = unique(entries.flat(2));
      }),
    ]);
  }

  // The actions of the chosen thing. False: what is chosen is none.
  async enter(entry: Entry | undefined): Promise<boolean> {
    if (entry?.path === undefined || this.within.value) return false;
    const found = await this.#actionsOf(entry.path, this.#signal).catch(() => undefined);
    if (!found) return false;
    const { name } = found;
    this.#show({ name, question: `What to do with ${name}`, entries: withinEntries(found) });
    return true;
  }

  // The things that a new one may be in, the uppermost first, until it is known in which.
  async ask({ model, params }: Making): Promise<void> {
    const above = askedFor(this.#models.value, { model, params });
    if (!above) return;
    const collection = filled(above.collection, params);
    const items = await this.#tools.list(above, collection, this.#signal).catch(() => []);
    const entries = items.map((item): Entry => {
      const path = itemPath(above, collection, item);
      const now = { model, params: { ...params, ...matched(above.item ?? '', path) } };
      const next = askedFor(this.#models.value, now);
      const shown = { key: path, text: nameOf(item), note: above.title };
      return next
        ? { ...shown, note: `Asks in which ${lower(next.title)}`, makes: now }
        : { ...shown, url: placeUrl(model, `${filled(model.collection, now.params)}/new`) };
    });
    this.#show({ name: model.create?.title ?? model.title, question: `In which ${lower(above.title)}`, entries });
  }

  #show(within: Within): void {
    batch(() => {
      this.within.value = within;
      this.write('');
    });
  }

  leave(): void {
    batch(() => {
      this.within.value = undefined;
      this.write('');
    });
  }

  // Whether any thing has such an action: most words are parts of names.
  #isKnown(verb: readonly string[]): boolean {
    const titles = this.#models.value.flatMap(({ parent, create, change, remove, ofOne }) => [
      ...(parent === undefined ? [] : [create]),
      change,
      remove,
      ...ofOne,
    ]);
    return titles.some((one) => one !== undefined && isMeant(one, verb));
  }

  async #search(text: string, signal: AbortSignal): Promise<Thing[]> {
    const found = await this.#tools.search(text, signal).catch(() => []); // pages are found all the same
    return found.filter(({ path }) => pageOf(this.#models.value, path) !== undefined);
  }

  // What can be done with a thing, and made in it.
  async #actionsOf(path: string, signal: AbortSignal): Promise<Actable> {
    const { name, actions } = await this.#tools.actionsOf(this.#models.value, path, signal);
    const thing = thingAt(this.#models.value, path);
    const made = thing ? madeIn(this.#models.value, thing.model, thing.path) : [];
    const inside = made.map((one) => ({ ...one, note: '', obstacle: undefined }));
    return { name, actions: [...actions, ...inside] };
  }

  async #commandsOf(thing: Thing, verb: readonly string[], signal: AbortSignal): Promise<Entry[]> {
    const { name, actions } = await this.#actionsOf(thing.path, signal).catch(() => ({ name: '', actions: [] }));
    return entriesOf({ name, actions: actions.filter((one) => isMeant(one, verb)) }, kindOf(thing), thing.path);
  }

  #entryOf(thing: Thing): Entry {
    const { name, path } = thing;
    const url = pageOf(this.#models.value, path);
    return { key: path, text: name, note: kindOf(thing), path, ...(url !== undefined && { url }) };
  }
}

// Things of the same name are told apart by what they are in.
const kindOf = ({ kind, within }: Thing): string => (within === undefined ? kind : `${kind} in ${within}`);

// Of one thing among others; `kind` tells it from one of the same name.
const entriesOf = ({ name, actions }: Actable, kind = 'Action', path = ''): Entry[] =>
  actions.map((action) => ({
    ...entryOf(action, path),
    text: `${action.title}${action.title.includes(' ') ? ':' : ''} ${name}`,
    note: action.obstacle ?? kind,
  }));

// Of the thing alone, which need not be named.
const withinEntries = ({ actions }: Actable): Entry[] => actions.map((action) => entryOf(action, ''));

const entryOf = (action: ThingAction, path: string): Entry => ({
  key: `${action.operation} ${path}`,
  text: action.title,
  note: action.obstacle ?? action.note,
  ...(action.obstacle !== undefined && { isOff: true }),
  ...startOf(action),
});

const startOf = (action: ThingAction): Pick<Entry, 'url' | 'act'> =>
  'url' in action ? { url: action.url } : { act: () => action.act() };

function unique(entries: readonly Entry[]): Entry[] {
  const byKey = new Map<string, Entry>();
  for (const entry of entries) if (!byKey.has(entry.key)) byKey.set(entry.key, entry);
  return [...byKey.values()];
}
