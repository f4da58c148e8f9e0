// An outside server that a test kills and starts again, on the same port and folder.
import { mkdirSync } from 'node:fs';
import { limits } from '../../../src/testing/limits.ts';
import { type Agent, startAgent, untilAnswered } from '../../clients/agents/process.ts';
import { endsWithin } from '../process.ts';

export interface Killable {
  name: string;
  kill(): Promise<void>; // SIGKILL, until the process has ended
  start(): Promise<void>; // until it serves
  log(): string;
}

export interface ServerOptions {
  name: string;
  command: string[];
  folder: string; // of its data
  env?: Record<string, string>;
  isReady(): Promise<boolean>; // an error means no
}

export class Server implements Killable {
  readonly name: string;
  readonly #options: ServerOptions;
  #agent: Agent | undefined;

  constructor(options: ServerOptions) {
    this.name = options.name;
    this.#options = options;
  }

  async start(): Promise<void> {
    const { command, env, folder, name, isReady } = this.#options;
    mkdirSync(folder, { recursive: true });
    this.#agent = startAgent(command, env);
    try {
      await untilAnswered(`${name} serves`, isReady, limits.slowAgent);
    } catch (error) {
      await this.kill();
      throw new Error(`${name} did not start: ${this.log().slice(-3000)}`, { cause: error });
    }
  }

  async kill(): Promise<void> {
    this.#agent?.signal('SIGKILL');
    if (this.#agent) await endsWithin(this.#agent.child, limits.agent);
  }

  log = (): string => this.#agent?.log() ?? '';
}

export const answersAt = (url: string) => async (): Promise<boolean> => (await fetch(url)).ok;
