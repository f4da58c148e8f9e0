// Collects the commands of all empty lists, with existing resources as parents.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { groupStart } from '../../../console/autoscaling/form-start.ts';
import { firstVolume, serverStart } from '../../../console/compute/server/form-start.ts';
import { type FirstCommand, firstCommand } from '../../../console/resources/client-commands/first-command.ts';
import type { ResourceModel } from '../../../console/resources/model.ts';
import { filled, matched, missingParams } from '../../../console/resources/place.ts';
import { choicesFor, refersTo } from '../../../console/resources/schema-form/sources.ts';
import { limits } from '../../../src/testing/limits.ts';
import type { Region } from '../../harness/region.ts';

export interface EmptyListCommand {
  name: string; // server /datacenters/{datacenterId}/servers
  place: string; // the list, with the prefix of the service
  command: FirstCommand;
}

const starts: Readonly<Record<string, object>> = {
  server: serverStart.properties,
  autoscalinggroup: groupStart.properties,
  volume: firstVolume,
};

// Calls back for each list, from the top down, so that what one command creates is a parent of the next. A parent that
// no command can create comes from `create`.
export async function eachFirstCommand(
  region: Region,
  models: readonly ResourceModel[],
  create: (model: ResourceModel, list: string) => Promise<void>,
  run: (one: EmptyListCommand) => Promise<void>,
): Promise<string[]> {
  const items = new Map<string, string>(); // the path of a resource, by service and collection
  const without: string[] = [];
  for (const model of models.toSorted((a, b) => a.collection.length - b.collection.length)) {
    const above = models.find((one) => one.service === model.service && one.collection === model.parent);
    const parent = above && items.get(`${above.service} ${above.collection}`);
    if (above && parent === undefined) continue;
    const params = matched(above?.item ?? '', parent ?? '') ?? {};
    if (missingParams(model.collection, params).length > 0) continue;
    const list = model.prefix + filled(model.collection, params);
    const name = `${model.name} ${model.collection}`;
    const command =
      model.create &&
      firstCommand(
        model.create,
        {
          words: model.words,
          start: starts[model.name] as never,
          refers: (place) => refersTo(choicesFor(models, model, params), place),
        },
        {
          url: region.url + model.prefix + filled(model.create.path, params),
          params,
          ...(model.isRegional && { region: 'de-txl' }), // the home region
        },
      );
    if (command) await run({ name, place: list, command });
    else if (model.create) {
      without.push(name);
      await create(model, list);
    }
    const { status, body } = await region.call('GET', list);
    const id = status === 200 ? body.items?.at(-1)?.id : undefined;
    if (id !== undefined && model.item)
      items.set(`${model.service} ${model.collection}`, `${filled(model.collection, params)}/${id}`);
  }
  return without;
}

// Commands of the region in a folder with `./cumulet` and `README.md`.
export class Shell {
  readonly #folder = mkdtempSync(join(tmpdir(), 'cumulet-shell-'));
  readonly #env: NodeJS.ProcessEnv;

  constructor(region: Region) {
    const program = join(import.meta.dirname, '../../../bin/start.cjs');
    writeFileSync(join(this.#folder, 'cumulet'), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`, {
      mode: 0o755,
    });
    writeFileSync(join(this.#folder, 'README.md'), 'An object');
    this.#env = { PATH: process.env.PATH, CUMULET_DATA: region.data, IONOS_TOKEN: region.token };
  }

  // Fails if the command fails, or curl gets an error. Input and IMAGE_PASSWORD are the secret that the user enters.
  async run(text: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
    const script = `set -e -o pipefail\ncurl() { command curl -sS --fail-with-body "$@"; }\n${text}`;
    const options = {
      cwd: this.#folder,
      env: { ...this.#env, IMAGE_PASSWORD: secret, ...env },
      timeout: limits.command,
    };
    const running = promisify(execFile)('bash', ['--norc', '-c', script], options);
    running.child.stdin?.end(`${secret}\n`);
    const { stdout } = await running.catch(({ stdout = '', stderr = '' }: { stdout?: string; stderr?: string }) =>
      assert.fail(`${text}\n${stdout}${stderr}`),
    );
    return stdout;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const secret = 'ChangeMe1815';
