// The clients that log in to servers at their public addresses. Packer and Rancher's version of docker-machine are
// built from their Go modules; the platform's plugin of each has to be installed.
import { ofModule } from '../go-module.ts';
import { type Absent, type Found, find } from '../install.ts';

const packerModule = 'github.com/hashicorp/packer@v1.15.0';
const machineModule = 'github.com/rancher/machine@v0.15.0-rancher131'; // which the driver requires

export const packerPlugin = find('CUMULET_PACKER_PLUGIN', 'packer-plugin-ionoscloud');
export const machineDriver = find('CUMULET_DOCKER_MACHINE_DRIVER', 'docker-machine-driver-ionoscloud');

export const packer = async (): Promise<Found | Absent> =>
  packerPlugin.path ? installedOr('CUMULET_PACKER', packerModule, 'packer', '.') : packerPlugin;
export const dockerMachine = async (): Promise<Found | Absent> =>
  machineDriver.path
    ? installedOr('CUMULET_RANCHER_MACHINE', machineModule, 'rancher-machine', './cmd/rancher-machine')
    : machineDriver;

async function installedOr(setting: string, module: string, program: string, what: string): Promise<Found | Absent> {
  const found = find(setting, program);
  return found.path ? found : ofModule(setting, module, program, what);
}
