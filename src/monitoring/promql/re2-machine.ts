// Tries a whole text against a regular expression in time linear to the text's length, whatever the expression: all
// states are followed at once, one character at a time, the preferred ones first.
import { BadExpression, type ParsedExpression } from './re2.ts';
import { type AssertionKind, type CharSet, type Expression, hasCharacter, wordRanges } from './re2-tree.ts';

type Instruction =
  | { do: 'take'; set: CharSet }
  | { do: 'fork'; first: number; second: number }
  | { do: 'jump'; to: number }
  | { do: 'mark'; slot: number }
  | { do: 'assert'; at: AssertionKind }
  | { do: 'accept' };

const mostInstructions = 10_000;

interface State {
  at: number;
  marks: readonly number[];
}

export class Machine {
  readonly #program: Instruction[] = [];
  readonly #seen: Int32Array; // by instruction: the step in which it was last reached
  #step = 0;

  constructor({ body }: ParsedExpression) {
    this.#compile(body);
    this.#add({ do: 'accept' });
    this.#seen = new Int32Array(this.#program.length);
  }

  // The marks of the groups where all of the text matches: start and end of each, from group 1 on.
  run(text: string): readonly number[] | undefined {
    let states: State[] = [];
    let previous = -1;
    let at = 0;
    this.#begin();
    this.#follow({ at: 0, marks: [] }, states, at, previous, pointAt(text, 0));
    while (at < text.length && states.length > 0) {
      const point = pointAt(text, at);
      at += point > 0xffff ? 2 : 1;
      const after = pointAt(text, at);
      const reached: State[] = [];
      this.#begin();
      for (const state of states) {
        const instruction = this.#program[state.at] as Instruction;
        if (instruction.do === 'take' && hasCharacter(instruction.set, point))
          this.#follow({ at: state.at + 1, marks: state.marks }, reached, at, point, after);
      }
      states = reached;
      previous = point;
    }
    return states.find((state) => this.#program[state.at]?.do === 'accept')?.marks;
  }

  #begin(): void {
    if (++this.#step < 0x7fffffff) return;
    this.#seen.fill(0);
    this.#step = 1;
  }

  // Everything that can be reached without taking a character, in order of preference.
  #follow(start: State, states: State[], position: number, previous: number, next: number): void {
    const open = [start];
    for (let state = open.pop(); state; state = open.pop()) {
      const { at, marks } = state;
      if (this.#seen[at] === this.#step) continue;
      this.#seen[at] = this.#step;
      const instruction = this.#program[at] as Instruction;
      if (instruction.do === 'fork') open.push({ at: instruction.second, marks }, { at: instruction.first, marks });
      else if (instruction.do === 'jump') open.push({ at: instruction.to, marks });
      else if (instruction.do === 'mark') {
        const changed = [...marks];
        changed[instruction.slot] = position;
        open.push({ at: at + 1, marks: changed });
      } else if (instruction.do === 'assert') {
        if (holds(instruction.at, previous, next)) open.push({ at: at + 1, marks });
      } else states.push(state);
    }
  }

  #add(instruction: Instruction): number {
    if (this.#program.length >= mostInstructions) throw new BadExpression('error parsing regexp: expression too large');
    return this.#program.push(instruction) - 1;
  }

  #compile(expression: Expression): void {
    switch (expression.kind) {
      case 'set':
        this.#add({ do: 'take', set: expression.set });
        break;
      case 'assertion':
        this.#add({ do: 'assert', at: expression.at });
        break;
      case 'sequence':
        for (const part of expression.parts) this.#compile(part);
        break;
      case 'choice':
        this.#choice(expression.options);
        break;
      case 'repeat':
        this.#repeat(expression);
        break;
      case 'group':
        this.#add({ do: 'mark', slot: 2 * expression.index - 2 });
        this.#compile(expression.body);
        this.#add({ do: 'mark', slot: 2 * expression.index - 1 });
    }
  }

  #choice(options: Expression[]): void {
    const jumps: number[] = [];
    for (const [index, option] of options.entries()) {
      const isLast = index === options.length - 1;
      const fork = isLast ? -1 : this.#add({ do: 'fork', first: this.#program.length + 1, second: 0 });
      this.#compile(option);
      if (isLast) break;
      jumps.push(this.#add({ do: 'jump', to: 0 }));
      this.#program[fork] = { do: 'fork', first: fork + 1, second: this.#program.length };
    }
    for (const jump of jumps) this.#program[jump] = { do: 'jump', to: this.#program.length };
  }

  #repeat({ body, min, max, isGreedy }: Extract<Expression, { kind: 'repeat' }>): void {
    for (let count = 0; count < min; count++) this.#compile(body);
    if (max === Number.POSITIVE_INFINITY) {
      const fork = this.#add({ do: 'jump', to: 0 });
      this.#compile(body);
      this.#add({ do: 'jump', to: fork });
      this.#program[fork] = forkOf(isGreedy, fork + 1, this.#program.length);
      return;
    }
    const forks: number[] = [];
    for (let count = min; count < max; count++) {
      forks.push(this.#add({ do: 'jump', to: 0 }));
      this.#compile(body);
    }
    for (const fork of forks) this.#program[fork] = forkOf(isGreedy, fork + 1, this.#program.length);
  }
}

function forkOf(isGreedy: boolean, again: number, out: number): Instruction {
  return isGreedy ? { do: 'fork', first: again, second: out } : { do: 'fork', first: out, second: again };
}

function pointAt(text: string, at: number): number {
  return text.codePointAt(at) ?? -1;
}

function isWord(point: number): boolean {
  return point >= 0 && hasCharacter({ ranges: wordRanges as number[], properties: [], isNegated: false }, point);
}

function holds(at: AssertionKind, previous: number, next: number): boolean {
  if (at === 'start') return previous < 0;
  if (at === 'end') return next < 0;
  if (at === 'lineStart') return previous < 0 || previous === 10;
  if (at === 'lineEnd') return next < 0 || next === 10;
  return (isWord(previous) !== isWord(next)) === (at === 'word');
}
