// `version`

import { type Command, dataOption, jsonOption } from '../command/command.ts';
import { print, printJson } from '../command/terminal.ts';
import { programVersion } from '../config/program-version.ts';

export const version: Command = {
  name: 'version',
  about: 'Prints the version of this program. `status` shows the version of a running region.',
  options: [jsonOption, { ...dataOption, hidden: true }],
  examples: [['cumulet version', 'such as: cumulet 0.1.0 (Node v26.10.0, linux x64)']],
  async run(input) {
    const { version: node, platform, arch } = process;
    if (input.has('json')) printJson({ version: programVersion(), node, platform, arch });
    else print(`cumulet ${programVersion()} (Node ${node}, ${platform} ${arch})`);
    return 0;
  },
};
