// All that is wrong with one request, told together. The schema and the rules of one body alone report everything they
// find; a decision ends with the first thing that it refuses. So what was refused is taken out of the values, and it
// is decided again, until nothing more is found. Nothing of that is ever written.
import { Fault, type Problem } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import type { Soon } from '../../base/soon.ts';
import type { Draft } from '../resource.ts';
import type { Checked, Properties } from '../schema.ts';
import { isBusy } from './busy.ts';
import type { Less } from './draft.ts';

const mostPasses = 30;
const mostMs = 300; // of a large body is told what was found by then

export const isRefusal = (error: unknown): error is Fault =>
  error instanceof Fault && error.kind === 'refused' && !isBusy(error);

// `again` drafts and decides anew, with less of what was sent; `further` tells what else stands against that draft.
export async function gather(
  first: Fault,
  again: (less: Less) => Soon<Draft>,
  further: (draft: Draft) => Soon<Problem[]>,
): Promise<Fault> {
  const problems = [...first.problems];
  const flaws = new Flaws();
  for (const { message } of problems) flaws.add(pathIn(message));
  const until = performance.now() + mostMs;
  for (let pass = 0; pass < mostPasses && performance.now() < until; pass++) {
    const { found, isLast } = await lookAgain(flaws, again, further);
    const news = found.filter(({ message }) => flaws.add(pathIn(message)));
    for (const problem of news)
      if (flaws.isJudged(pathIn(problem.message)) && !problems.some(({ message }) => message === problem.message))
        problems.push(problem);
    if (isLast || news.length === 0) break;
  }
  return problems.length === 1 ? first : new Fault('refused', 'The request is not acceptable.', { problems });
}

async function lookAgain(
  flaws: Flaws,
  again: (less: Less) => Soon<Draft>,
  further: (draft: Draft) => Soon<Problem[]>,
): Promise<{ found: Problem[]; isLast: boolean }> {
  try {
    return { found: await further(await again((...part) => flaws.leaveOut(...part))), isLast: true };
  } catch (error) {
    // Anything but a refusal may come from what was left out.
    if (!isRefusal(error)) return { found: [], isLast: true };
    const found = error.problems.map((problem) => flaws.inOriginal(problem));
    return { found, isLast: found.some(({ message }) => pathIn(message) === undefined) };
  }
}

const pathIn = (message: string): string | undefined => /^\[(\(root\)\S*)\] /.exec(message)?.[1];

// What is known to be wrong, by its place in the body.
class Flaws {
  #paths = new Set<string>();
  #gone = new Map<string, Set<number>>(); // the elements that are left out of a list
  #unknown: string[] = []; // parts of which something that they can't be without is wrong

  // Whether that is news.
  add(path: string | undefined): boolean {
    if (path === undefined) return true;
    for (const known of this.#paths) if (isWithin(path, known) || isWithin(known, path)) return false;
    this.#paths.add(path);
    return true;
  }

  // What is made with something unknown, or stands in it, is not judged: the rest is.
  isJudged(path: string | undefined): boolean {
    return path === undefined || !this.#unknown.some((part) => isWithin(path, part));
  }

  leaveOut({ values, sealed }: Checked, properties: Properties, stood: Values | undefined, at: string): void {
    for (const path of this.#paths) {
      const [, name = '', index] = /^([^.]+)(?:\.\[(\d+)\])?/.exec(within(path, at)) ?? [];
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!property) continue;
      delete sealed[name];
      if (property.derived) continue;
      if (index !== undefined && Array.isArray(values[name])) {
        this.#gone.set(`${at}.${name}`, (this.#gone.get(`${at}.${name}`) ?? new Set()).add(Number(index)));
        continue;
      }
      if (property.required) this.#unknown.push(at.replace(/\.properties$/, ''));
      values[name] = stood?.[name] ?? property.default ?? property.example ?? null;
    }
    for (const [list, gone] of this.#gone) {
      const items = values[within(list, at)];
      if (Array.isArray(items)) values[within(list, at)] = items.filter((_, index) => !gone.has(index));
    }
  }

  // A problem of what was left over, with its place in what was sent.
  inOriginal({ code, message }: Problem): Problem {
    const path = pathIn(message) ?? '';
    for (const [list, gone] of this.#gone) {
      const [, index, rest = ''] = /^\.\[(\d+)\](.*)$/.exec(path.startsWith(list) ? path.slice(list.length) : '') ?? [];
      if (index === undefined) continue;
      let at = Number(index);
      for (const one of [...gone].sort((a, b) => a - b)) if (one <= at) at++;
      const moved = `[${list}.[${at}]${rest}] ${message.slice(path.length + 3)}`;
      return { ...(code !== undefined && { code }), message: moved };
    }
    return code === undefined ? { message } : { code, message };
  }
}

const isWithin = (path: string, above: string): boolean =>
  path === above || (path.startsWith(above) && path[above.length] === '.');

const within = (path: string, above: string): string =>
  path !== above && isWithin(path, above) ? path.slice(above.length + 1) : '';
