// Which tools a client sees. Eager: all. Lazy: compute and object storage only after a loader was called. Dynamic:
// three tools that search, describe and call the others. Hidden tools can still be called by name.
import type { Json, Values } from '../../base/json.ts';
import { Failure } from '../client/failure.ts';
import {
  groups,
  input,
  numberOf,
  optional,
  type Tool,
  type ToolContext,
  text,
  textOf,
  texts,
  textsOf,
  whole,
} from '../tool.ts';
import { shortOf, type Toolbox } from '../toolbox.ts';

export const loadModes = ['eager', 'lazy', 'dynamic'] as const;
export type LoadMode = (typeof loadModes)[number];

// Case-insensitive; `search` is another word for dynamic. Undefined: unknown mode.
export function loadModeOf(word: string): LoadMode | undefined {
  const lower = word.toLowerCase();
  return lower === 'search' ? 'dynamic' : loadModes.find((mode) => mode === lower);
}

export interface Listing {
  listed(): readonly Tool[];
  find(name: string): Tool | undefined;
}

// `loaded`: the groups that a lazy client has loaded; `changed` is called when one is added. `call` validates and
// runs a tool.
export interface ListingOptions {
  toolbox: Toolbox;
  mode: LoadMode;
  loaded: Set<string>;
  changed(): Promise<void>;
  call(tool: Tool, args: Values, context: ToolContext): Promise<Json>;
}

export function listingOf(options: ListingOptions): Listing {
  const { toolbox, mode, loaded } = options;
  if (mode === 'dynamic') {
    const own = dynamicTools(options);
    return { listed: () => own, find: (name) => own.find((tool) => tool.name === name) ?? toolbox.find(name) };
  }
  if (mode === 'eager') return { listed: () => toolbox.tools, find: (name) => toolbox.find(name) };
  const loaders = loadersOf(options);
  const isShown = ({ group }: Tool): boolean => !lazyGroups.includes(group) || loaded.has(group);
  return {
    listed: () => [...loaders.filter(({ group }) => !loaded.has(group)), ...toolbox.tools.filter(isShown)],
    find: (name) => loaders.find((tool) => tool.name === name) ?? toolbox.find(name),
  };
}

export const callTool = 'ionos_call_tool';

const lazyGroups = ['compute', 'objectstorage'];

const loadersOf = ({ toolbox, loaded, changed }: ListingOptions): Tool[] =>
  (['compute', 'objectstorage'] as const).map((group) => ({
    name: `ionos_load_${group}_tools`,
    group,
    description: `Load the tools of ${group}. Call it before you search in this group.`,
    input: input({}),
    async read() {
      const names = toolbox.tools.filter((tool) => tool.group === group).map(({ name }) => name);
      if (!loaded.has(group)) {
        loaded.add(group);
        await changed();
      }
      return { loaded: names.length, tools: names };
    },
  }));

const dynamicTools = ({ toolbox, call }: ListingOptions): Tool[] => [
  {
    name: 'ionos_search_tools',
    group: 'insight',
    description: `Search the ${toolbox.tools.length} read-only tools of the platform by keywords. Then describe and call them.`,
    input: input({
      query: text('Keywords, such as "server volumes"'),
      group: optional(text('Only tools of this product', { enum: [...groups] })),
      limit: optional(whole('Maximum number of tools; 10 by default', 1, 100)),
    }),
    async read(args) {
      const found = toolbox.search(textOf(args, 'query') ?? '', textOf(args, 'group'), numberOf(args, 'limit', 10));
      const hint = found.length > 0 ? defaultHint : `No tool matches. Groups: ${groups.join(', ')}.`;
      return { count: found.length, tools: found.map(shortOf), hint };
    },
  },
  {
    name: 'ionos_describe_tools',
    group: 'insight',
    description: 'Describe the arguments of tools.',
    input: input({ names: texts('Names of tools') }),
    async read(args) {
      return { tools: textsOf(args, 'names').map((name) => described(toolbox, name)) };
    },
  },
  {
    name: callTool,
    group: 'insight',
    description: 'Call a tool by its name, with its arguments.',
    input: input({
      name: text('The name of the tool'),
      arguments: optional({ type: 'object', description: 'As ionos_describe_tools tells them' }),
    }),
    async read(args, context) {
      const name = textOf(args, 'name') ?? '';
      const tool = toolbox.find(name);
      if (!tool) throw unknownTool(toolbox, name);
      return call(tool, (args.arguments ?? {}) as Values, context);
    },
  },
];

const defaultHint = 'Next: ionos_describe_tools for the arguments, then ionos_call_tool.';

function described(toolbox: Toolbox, name: string): Values {
  const tool = toolbox.find(name);
  if (tool) return { ...shortOf(tool), input_schema: tool.input };
  return { name, error: 'This tool does not exist.', did_you_mean: toolbox.suggestions(name) };
}

export function unknownTool(toolbox: Toolbox, name: string): Failure {
  const near = toolbox.suggestions(name);
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
  return new Failure(`Tool ${JSON.stringify(name.slice(0, 80))} does not exist.${hint}`);
}
