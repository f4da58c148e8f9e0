// The state of the palette: the typed text, the search results, and the open submenu.
import { batch, computed, signal } from '@preact/signals';
import type { ItemAction } from '../resources/actions/item-action.ts';
import type { Item, ResourceModel } from '../resources/model.ts';
import { type Models, resourceAt } from '../resources/page-urls.ts';
import { filled, itemPath, matched, nameOf } from '../resources/place.ts';
import { lower } from '../resources/words.ts';
import type { CheckedCall } from '../rights/rights.ts';
import { commandsIn, matchesVerb } from './commands.ts';
import {
  acrossEntries,
  type Creation,
  creationIn,
  creationsIn,
  type Entry,
  entriesHere,
  inOrder,
  matching,
  missingParent,
  nestedEntries,
  resourceEntries,
} from './entries.ts';
import { type FoundResource, type NamedActions, pageOf, resourceHere } from './resource-pages.ts';

export interface PaletteTools {
  pathname: string; // of the current page
  pages: readonly Entry[];
  actions: readonly Entry[]; // available on all pages
  models(): Promise<Models>;
  search(text: string, signal: AbortSignal): Promise<readonly FoundResource[]>;
  actionsOf(models: Models, path: string, signal: AbortSignal): Promise<NamedActions>;
  list(model: ResourceModel, path: string, signal: AbortSignal): Promise<readonly Item[]>;
  refusal(call: CheckedCall): string | undefined; // why the user may not make it
}

// A list that replaces all other entries: the actions of a resource, or the possible parents of a new resource.
export interface Submenu {
  name: string;
  question: string;
  entries: readonly Entry[];
}

const maxShown = 12;
const maxTried = 5; // resources whose state is read for a command
const minLetters = 2;

export class PaletteState {
  readonly text = signal('');
  readonly chosen = signal(0);
  readonly within = signal<Submenu | undefined>(undefined);
  readonly #tools: PaletteTools;
  readonly #signal: AbortSignal;
  readonly #models = signal<Models>([]);
  readonly #here = signal<readonly Entry[]>([]);
  readonly #found = signal<readonly Entry[]>([]);
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

  readonly entries = computed((): readonly Entry[] =>
    this.#matching().map((entry) => {
      const reason = entry.call && this.#tools.refusal(entry.call);
      return reason === undefined ? entry : { ...entry, isOff: true, note: reason };
    }),
  );

  #matching(): readonly Entry[] {
    const text = this.text.value;
    const within = this.within.value;
    if (within) return matching(within.entries, text);
    const fixed = matching(this.#fixed.value, text).slice(0, maxShown);
    return unique(inOrder([...this.#commands.value, ...fixed], this.#found.value, text));
  }

  // Loads the resource types and the actions of the resource on the current page.
  async begin(creation?: Creation): Promise<void> {
    const models = await this.#tools.models();
    this.#models.value = models;
    if (creation) await this.ask(creation);
    const path = resourceHere(models, this.#tools.pathname);
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

  // Searches resources by name, and commands that contain one. Failed searches find nothing.
  async look(signal: AbortSignal): Promise<void> {
    const text = this.text.value.trim();
    if (this.within.value || text.length < minLetters) {
      batch(() => {
        this.#found.value = [];
        this.#commands.value = [];
      });
      return;
    }
    // `begin` may still be loading the models.
    if (this.#models.value.length === 0) this.#models.value = await this.#tools.models();
    if (signal.aborted) return;
    const commands = commandsIn(text).filter(({ verb }) => this.#isKnown(verb));
    await Promise.all([
      this.#search(text, signal).then((found) => {
        if (!signal.aborted) this.#found.value = found.map((one) => this.#entryOf(one));
      }),
      Promise.all(
        commands.map(async ({ verb, name }) => {
          const found = (await this.#search(name, signal)).slice(0, maxTried);
          return Promise.all(found.map((one) => this.#commandsOf(one, verb, signal)));
        }),
      ).then((entries) => {
        if (!signal.aborted) this.#commands.value = unique(entries.flat(2));
      }),
    ]);
  }

  // Opens the actions of the selected resource. Returns false if the entry is not a resource.
  async enter(entry: Entry | undefined): Promise<boolean> {
    if (entry?.path === undefined || this.within.value) return false;
    const found = await this.#actionsOf(entry.path, this.#signal).catch(() => undefined);
    if (!found) return false;
    const { name } = found;
    this.#show({ name, question: `Actions of ${name}`, entries: withinEntries(found) });
    return true;
  }

  // Asks for the parents of a new resource, from the top down.
  async ask({ model, params }: Creation): Promise<void> {
    const above = missingParent(this.#models.value, { model, params });
    if (!above) return;
    const collection = filled(above.collection, params);
    const items = await this.#tools.list(above, collection, this.#signal).catch(() => []);
    const entries = items.map((item): Entry => {
      const path = itemPath(above, collection, item);
      const now = { model, params: { ...params, ...matched(above.item ?? '', path) } };
      const next = missingParent(this.#models.value, now);
      const shown = { key: path, text: nameOf(item), note: above.title };
      if (next) return { ...shown, note: `Select ${lower(next.title)}`, creates: now };
      const [creation] = creationIn(model, now.params);
      return creation ? { ...shown, url: creation.url, call: creation.call } : shown;
    });
    this.#show({ name: model.create?.title ?? model.title, question: `Select ${lower(above.title)}`, entries });
  }

  #show(within: Submenu): void {
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

  // Whether any resource type has such an action. Most words are parts of names instead.
  #isKnown(verb: readonly string[]): boolean {
    const titles = this.#models.value.flatMap(({ parent, create, change, remove, ofOne }) => [
      ...(parent === undefined ? [] : [create]),
      change,
      remove,
      ...ofOne,
    ]);
    return titles.some((one) => one !== undefined && matchesVerb(one, verb));
  }

  async #search(text: string, signal: AbortSignal): Promise<FoundResource[]> {
    const found = await this.#tools.search(text, signal).catch(() => []); // the palette still finds pages
    return found.filter(({ path }) => pageOf(this.#models.value, path) !== undefined);
  }

  // The actions of a resource, and the creation of resources in it.
  async #actionsOf(path: string, signal: AbortSignal): Promise<NamedActions> {
    const { name, actions } = await this.#tools.actionsOf(this.#models.value, path, signal);
    const resource = resourceAt(this.#models.value, path);
    const creations = resource ? creationsIn(this.#models.value, resource.model, resource.path) : [];
    const inside = creations.map((one) => ({ ...one, note: '', obstacle: this.#tools.refusal(one.call) }));
    return { name, actions: [...actions, ...inside] };
  }

  async #commandsOf(found: FoundResource, verb: readonly string[], signal: AbortSignal): Promise<Entry[]> {
    const { name, actions } = await this.#actionsOf(found.path, signal).catch(() => ({ name: '', actions: [] }));
    return entriesOf({ name, actions: actions.filter((one) => matchesVerb(one, verb)) }, kindOf(found), found.path);
  }

  #entryOf(found: FoundResource): Entry {
    const { name, path } = found;
    const url = pageOf(this.#models.value, path);
    return { key: path, text: name, note: kindOf(found), path, ...(url !== undefined && { url }) };
  }
}

// The parent distinguishes resources of the same name.
const kindOf = ({ kind, within }: FoundResource): string => (within === undefined ? kind : `${kind} in ${within}`);

// Entries for the actions of one of several resources; `kind` distinguishes resources of the same name.
const entriesOf = ({ name, actions }: NamedActions, kind = 'Action', path = ''): Entry[] =>
  actions.map((action) => ({
    ...entryOf(action, path),
    text: `${action.title}${action.title.includes(' ') ? ':' : ''} ${name}`,
    note: action.obstacle ?? kind,
  }));

// Entries for the actions of a single resource, without its name.
const withinEntries = ({ actions }: NamedActions): Entry[] => actions.map((action) => entryOf(action, ''));

const entryOf = (action: ItemAction, path: string): Entry => ({
  key: `${action.operation} ${path}`,
  text: action.title,
  note: action.obstacle ?? action.note,
  ...(action.obstacle !== undefined && { isOff: true }),
  ...startOf(action),
});

const startOf = (action: ItemAction): Pick<Entry, 'url' | 'act'> =>
  'url' in action ? { url: action.url } : { act: () => action.act() };

function unique(entries: readonly Entry[]): Entry[] {
  const byKey = new Map<string, Entry>();
  for (const entry of entries) if (!byKey.has(entry.key)) byKey.set(entry.key, entry);
  return [...byKey.values()];
}
