// What only one operating system has is used where it is listed here, with what happens elsewhere. Cumulet is tried on
// Linux alone: this finds the known obstacles on the others.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSource } from './source.ts';
import { isForTests, matches, report, root, src } from './tree.ts';

interface Obstacle {
  what: string;
  pattern: RegExp;
  in: 'text' | 'code';
  homes: Record<string, string>; // the files that may, and why
}

const obstacles: readonly Obstacle[] = [
  {
    what: '/proc, which only Linux has',
    pattern: /['"`]\/proc\b/,
    in: 'text',
    homes: {
      'src/cli/region/down.ts': 'without it, the lock alone says when a region has ended',
      'src/cli/region/socket-path.ts': 'of Linux only',
      'src/surface/process-figures.ts': 'macOS has /dev/fd, Windows reports 0',
      'src/streaming/engine/apache/jvm/process.ts': 'kafka+jvm: is refused on other systems',
    },
  },
  {
    what: 'a shell',
    pattern: /['"`](\/bin\/)?(ba)?sh['"`]|\bexec(Sync)?\b[^}]*\} from 'node:child_process'|shell: true/,
    in: 'text',
    homes: {
      'src/compute/machine/docker/boot-script.ts': 'in containers of Linux',
      'bin/cumulet.js': 'only to switch core dumps off; not on Windows',
      'src/inference/engines/llama/model-process.ts': 'only to switch core dumps off; not on Windows',
    },
  },
  {
    what: 'devices and folders of Unix',
    pattern: /['"`]\/(dev|tmp|usr|etc|var|run)\//,
    in: 'text',
    homes: {
      'src/compute/machine/docker/build-debian.ts': 'without it, the usual version of Debian',
      'src/compute/machine/docker/open-docker.ts': 'elsewhere --machines names the socket',
      'src/compute/machine/access/ssh.ts': 'the ssh of Windows knows /dev/null, too',
      'src/compute/server/machine-connections.ts': 'a path inside a Linux machine',
      'src/compute/machine/docker/services/network-services.ts': 'a path inside a Linux container',
      'src/compute/network/linux/linux-network.ts': 'a path inside a Linux container',
      'src/compute/network/linux/balancers/proxy-script.ts': 'a path inside a Linux container',
      'src/cli/account/ca.ts': 'where none of them is there, the roots of Node',
      'src/streaming/broker/settings/broker-definitions.ts': 'defaults of Apache Kafka, which are only reported',
      'src/surface/process-figures.ts': 'of macOS',
    },
  },
  {
    what: 'a Unix socket, which Windows has no files for',
    pattern: /socketPath|\.sock['"`]/,
    in: 'text',
    homes: {
      'src/compute/machine/docker/api.ts': 'a named pipe is a path, too',
      'src/compute/machine/docker/engine-error.ts': 'the same',
      'src/compute/machine/docker/open-docker.ts': 'the same',
      'src/cli/admin/client.ts': 'the path is a named pipe on Windows (socket-path.ts)',
      'src/cli/admin/server.ts': 'the same',
    },
  },
  {
    what: 'users and groups of Unix',
    pattern: /process\.(get|set)e?[ug]id\b|\bchown(Sync)?\(/,
    in: 'code',
    homes: { 'src/compute/machine/docker/build-debian.ts': 'images are built on Linux only' },
  },
  {
    what: 'signals that Windows has not',
    pattern: /SIG(USR1|USR2|CHLD|PIPE|WINCH|STOP|CONT)\b/,
    in: 'text',
    homes: {},
  },
  {
    what: 'the name of the operating system, outside its home',
    pattern: /process\.platform\b/,
    in: 'code',
    homes: {
      'bin/cumulet.js': 'imports nothing of ours, because Node may be too old for it',
      'src/base/operating-system.ts': 'its home',
      'src/cli/region/socket-path.ts': 'tests ask for other systems',
      'src/kit/index.ts': 'imports nothing, because test suites import it',
    },
  },
  {
    what: 'a program that is a batch file on Windows',
    pattern: /spawn(Sync)?\(\s*['"`](npm|npx|mvn)['"`]/,
    in: 'text',
    homes: { 'src/inference/engines/llama/install.ts': 'by the shell there' },
  },
  {
    what: 'to open a folder as a file, which Windows refuses',
    pattern: /(?<![.\w])open(Sync)?\((folder|dirname\([^)]*\)), ['c]/,
    in: 'code',
    homes: {
      'src/base/sync-folder.ts': 'nothing, on Windows',
      'src/cli/region/socket-path.ts': 'of Linux only',
    },
  },
];

// The commands of the npm package: on Windows they are the only way in.
const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { bin: Record<string, string> };
const launchers = Object.values(bin).map((path) => readSource(path, readFileSync(join(root, path), 'utf8')));
const shipped = [...src.filter((one) => !isForTests(one)), ...launchers];

for (const { what, pattern, in: view, homes } of obstacles)
  test(`nothing needs ${what}, except where the file says what other systems do`, () => {
    const found = matches(shipped, view, pattern);
    const isHome = (place: string): boolean => Object.keys(homes).some((home) => place.startsWith(`${home}:`));
    report(
      found.filter((place) => !isHome(place) && !isComment(place)),
      'This needs one operating system: do it another way, or say here what happens elsewhere.',
    );
    report(
      Object.keys(homes).filter((home) => !found.some((place) => place.startsWith(`${home}:`))),
      'These are in the list, and do not need to be any more.',
    );
  });

const isComment = (place: string): boolean => {
  const [path = '', line = ''] = place.split(':');
  const text = readFileSync(join(root, path), 'utf8').split('\n')[Number(line) - 1] ?? '';
  return /^\s*\/\//.test(text);
};
