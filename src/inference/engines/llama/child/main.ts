// The process of one model. It loads the model when the parent requests it, then serves calls until its parent is gone.
// It writes no prompt and no answer anywhere.
import { statSync } from 'node:fs';
import { setPriority } from 'node:os';
import { EngineError } from '../../engine.ts';
import type { Answer, FromModel, Load, ToModel } from '../protocol.ts';
import { batchingOf } from './batching.ts';
import { embed } from './embedding.ts';
import { generate, type Loaded } from './generation.ts';
import { type EmbeddingContext, type Model, openLibrary } from './library.ts';
import { Prompts } from './prompt.ts';
import { Sequences } from './sequences.ts';

const batchTokens = 512;
const smallBytes = 1_200_000_000; // about two billion parameters of four bits
const lowPriority = 5; // the region's own process has priority

let text: Loaded | undefined;
let embedding: { model: Model; context: EmbeddingContext; contextTokens: number } | undefined;
const running = new Map<number, AbortController>();

setPriority(lowPriority);
process.on('uncaughtException', (error) => {
  // Only the stack, without the message, which may quote a prompt.
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  process.send?.({ kind: 'log', message: `${error.name} ${frames.join('')}` } satisfies FromModel, () =>
    process.exit(1),
  );
});
process.on('disconnect', () => process.exit());
process.on('message', (message: ToModel) => {
  if (message.kind === 'load') void load(message);
  else if (message.kind === 'cancel') running.get(message.id)?.abort();
  else void serve(message);
});

const send = (message: FromModel): void => void process.send?.(message);

// Answers of one turn of the event loop are sent together: the sequences of a batch end together.
let answers: Answer[] = [];
function answer(one: Answer): void {
  if (answers.push(one) > 1) return;
  setImmediate(() => {
    send({ kind: 'answers', answers });
    answers = [];
  });
}

async function load(options: Load): Promise<void> {
  try {
    const { library, jinja } = await openLibrary(options.library);
    const llama = await library.getLlama({
      gpu: false,
      build: 'never',
      skipDownload: true,
      logLevel: 'error',
      logger: (_, message) => send({ kind: 'log', message: message.trim() }),
      maxThreads: options.threads,
    });
    const { threads, contextTokens } = options;
    const onLoadProgress = (share: number): void => send({ kind: 'progress', share });
    const model = await llama.loadModel({ modelPath: options.file, onLoadProgress });
    if (options.use === 'embedding') {
      const context = await model.createEmbeddingContext({ contextSize: contextTokens, threads });
      embedding = { model, context, contextTokens };
    } else {
      const context = await model.createContext({
        contextSize: contextTokens,
        sequences: options.sequences,
        batchSize: batchTokens,
        threads,
        batching: { itemPrioritizationStrategy: batchingOf(() => text?.sequences.busy ?? 0) },
      });
      const all = Array.from({ length: options.sequences }, () => context.getSequence());
      const sequences = new Sequences(all, options.forgetMs);
      const isSmall = statSync(options.file).size < smallBytes;
      const prompts = new Prompts(model, jinja);
      text = { library, llama, model, prompts, sequences, contextTokens, isSmall, batchTokens };
    }
    send({ kind: 'loaded' });
  } catch (error) {
    send({ kind: 'unloadable', message: (error as Error).message });
  }
}

async function serve(message: Exclude<ToModel, Load | { kind: 'cancel' }>): Promise<void> {
  const { id } = message;
  const controller = new AbortController();
  running.set(id, controller);
  try {
    if (message.kind === 'embed') answer({ id, ...(await embed(need(embedding), message.texts, controller.signal)) });
    else if (message.kind === 'count') {
      const { prompts, contextTokens } = need(text);
      answer({ id, tokens: await prompts.count(message.input, contextTokens, controller.signal) });
    } else await generate(need(text), message.order, controller.signal, (part) => answer({ id, part }));
  } catch (error) {
    if (!(error instanceof EngineError)) throw error; // a bug: the process ends, and its calls fail
    answer({ id, failed: error.reason, message: error.message });
  } finally {
    running.delete(id);
  }
}

function need<T>(loaded: T | undefined): T {
  if (loaded === undefined) throw new EngineError('refused', 'The model that serves this id is of another kind.');
  return loaded;
}
