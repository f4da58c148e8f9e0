// Terraform (or OpenTofu) for tests: with the platform's provider in its local folder, so that no registry is asked.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { limits } from '../../../src/testing/limits.ts';
import type { Ended } from '../../harness/process.ts';
import { find } from '../install.ts';
import { run, type Way } from '../run.ts';

const terraform = find('CUMULET_TERRAFORM', 'terraform', 'tofu');
const provider = find('CUMULET_TERRAFORM_PROVIDER', 'terraform-provider-ionoscloud');

export const skip = terraform.skip ?? provider.skip ?? false;
export const password = 'APasswordOfTests1';

const quietly = ['-auto-approve', '-input=false', '-no-color'];

// A folder with a configuration, and the values of its variables.
export class Workspace {
  readonly folder: string;
  readonly #env: Record<string, string>;
  readonly #before: readonly string[];

  constructor(folder: string, env: Record<string, string>, before: readonly string[]) {
    this.folder = folder;
    this.#env = env;
    this.#before = before;
  }

  // The same folder, with other values.
  with(variables: Record<string, unknown>): Workspace {
    return new Workspace(this.folder, { ...this.#env, ...asVariables(variables) }, this.#before);
  }

  // The same folder with its state, against another region.
  at({ env }: Way): Workspace {
    return new Workspace(this.folder, { ...this.#env, ...env }, this.#before);
  }

  call(...args: string[]): Promise<Ended> {
    const command = [...this.#before, terraform.path as string, ...args];
    return run(command, { env: this.#env, cwd: this.folder, limitMs: limits.clientSuite });
  }

  async said(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.call(...args);
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  }

  apply = (): Promise<string> => this.said('apply', ...quietly);
  tryApply = (): Promise<Ended> => this.call('apply', ...quietly);
  destroy = (): Promise<string> => this.said('destroy', ...quietly);

  async isSettled(): Promise<void> {
    const { code, stdout, stderr } = await this.call('plan', '-detailed-exitcode', '-input=false', '-no-color');
    assert.equal(code, 0, `something is left to change:\n${stdout}${stderr}`);
  }

  async output<T>(name: string): Promise<T> {
    return JSON.parse(await this.said('output', '-json', name)) as T;
  }

  // Forgets and imports all resources that can be imported: they must equal the created ones.
  async importAll(except: string[] = []): Promise<string> {
    const blocks = await this.#importable(except);
    const file = join(this.folder, 'imports.tf');
    await this.said('state', 'rm', ...blocks.keys());
    writeFileSync(file, [...blocks].map(([to, id]) => `import {\n  to = ${to}\n  id = "${id}"\n}\n`).join(''));
    const output = await this.apply();
    rmSync(file);
    assert.match(output, new RegExp(`${blocks.size} imported, 0 added, \\d+ changed, 0 destroyed`));
    return output;
  }

  async #importable(except: string[]): Promise<Map<string, string>> {
    const { values } = JSON.parse(await this.said('show', '-json')) as TerraformState;
    const found = values.root_module.resources.filter(
      ({ address, mode, type }) => mode === 'managed' && Object.hasOwn(importIds, type) && !except.includes(address),
    );
    return new Map(found.map(({ address, type, values }) => [address, importIdOf(type, values)]));
  }
}

interface TerraformState {
  values: {
    root_module: { resources: { address: string; mode: string; type: string; values: Record<string, unknown> }[] };
  };
}

const inDatacenter = ['datacenter_id', 'id'];
const atServer = ['datacenter_id', 'server_id', 'id'];

// The parts of an import id.
const importIds: Record<string, string[]> = {
  ionoscloud_datacenter: ['id'],
  ionoscloud_ipblock: ['id'],
  ionoscloud_snapshot: ['id'],
  ionoscloud_target_group: ['id'],
  ionoscloud_private_crossconnect: ['id'],
  ionoscloud_backup_unit: ['id'],
  ionoscloud_lan: inDatacenter,
  ionoscloud_server: [...inDatacenter, 'primary_nic', 'firewallrule_ids'],
  ionoscloud_vcpu_server: [...inDatacenter, 'primary_nic', 'firewallrule_ids'],
  ionoscloud_cube_server: inDatacenter,
  ionoscloud_volume: atServer,
  ionoscloud_nic: atServer,
  ionoscloud_firewall: ['datacenter_id', 'server_id', 'nic_id', 'id'],
  ionoscloud_ipfailover: ['datacenter_id', 'lan_id', 'ip'],
  ionoscloud_nsg: inDatacenter,
  ionoscloud_nsg_firewallrule: ['datacenter_id', 'nsg_id', 'id'],
  ionoscloud_networkloadbalancer: inDatacenter,
  ionoscloud_networkloadbalancer_forwardingrule: ['datacenter_id', 'networkloadbalancer_id', 'id'],
  ionoscloud_application_loadbalancer: inDatacenter,
  ionoscloud_application_loadbalancer_forwardingrule: ['datacenter_id', 'application_loadbalancer_id', 'id'],
  ionoscloud_natgateway: inDatacenter,
  ionoscloud_natgateway_rule: ['datacenter_id', 'natgateway_id', 'id'],
};

const importIdOf = (type: string, values: Record<string, unknown>): string =>
  (importIds[type] ?? [])
    .flatMap((name) => values[name] ?? [])
    .map(String)
    .join('/');

// Creates the folder from one of those in terraform/. `before` is in front of each command.
export function workspace(
  way: Way,
  folder: string,
  configuration: string,
  variables: Record<string, unknown>,
  before: readonly string[] = [],
): Workspace {
  cpSync(join(import.meta.dirname, configuration), folder, { recursive: true });
  const settings = join(folder, 'terraform.rc');
  const place = JSON.stringify(dirname(provider.path as string));
  const overrides = `dev_overrides {\n    "ionos-cloud/ionoscloud" = ${place}\n  }\n  direct {}`;
  writeFileSync(settings, `provider_installation {\n  ${overrides}\n}\n`);
  const env = { ...way.env, TF_CLI_CONFIG_FILE: settings, CHECKPOINT_DISABLE: '1' };
  return new Workspace(folder, { ...env, ...asVariables({ password, ...variables }) }, before);
}

// Settings with which `terraform init` installs the provider from the folder instead of a registry, and calls the
// program `terraform`, even if it is OpenTofu.
export function offline(folder: string): Record<string, string> {
  const version = `6.99.0/${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const file = join(folder, 'terraform.rc');
  const mirror = join(folder, 'mirror');
  for (const registry of ['registry.terraform.io', 'registry.opentofu.org']) {
    const place = join(mirror, registry, 'ionos-cloud/ionoscloud', version);
    mkdirSync(place, { recursive: true });
    symlinkSync(provider.path as string, join(place, 'terraform-provider-ionoscloud_v6.99.0'));
  }
  writeFileSync(file, `provider_installation {\n  filesystem_mirror { path = ${JSON.stringify(mirror)} }\n}\n`);
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(terraform.path as string, join(bin, 'terraform'));
  return { TF_CLI_CONFIG_FILE: file, CHECKPOINT_DISABLE: '1', PATH: `${bin}:${process.env.PATH}` };
}

const asVariables = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      `TF_VAR_${name}`,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
