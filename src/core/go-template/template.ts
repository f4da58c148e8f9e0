// Templates of Go's text/template: parsed once, expanded any number of times. A product passes its functions and the
// names of its variables. `define`, `template` and `block` are not supported.
import { Execution, type TemplateData } from './execution.ts';
import type { Functions } from './function-entry.ts';
import { type Node, parseNodes } from './syntax.ts';
import { TemplateError } from './values.ts';

export interface TemplateLanguage<Scope> {
  functions: Functions<Scope>;
  variables?: readonly string[]; // with their $, for each of which the data has a value
  mostText?: number; // the result is cut after so many characters; without it, a result over 1 MB is an error
}

export class Template<Scope> {
  readonly nodes: readonly Node[];
  readonly #language: TemplateLanguage<Scope>;

  // Throws TemplateError.
  constructor(text: string, language: TemplateLanguage<Scope>) {
    this.#language = language;
    this.nodes = parseNodes(text, {
      isFunction: (name) => language.functions.has(name),
      variables: ['$', ...(language.variables ?? [])],
    });
  }

  // Throws TemplateError.
  expand(data: TemplateData<Scope>): string {
    const { functions, mostText } = this.#language;
    try {
      return new Execution(functions, data, mostText).run(this.nodes);
    } catch (error) {
      throw error instanceof RangeError ? new TemplateError(error.message) : error;
    }
  }
}
