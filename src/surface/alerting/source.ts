// The sources of alert rules: the pipelines of a product, queried in that product's language. Rules, alerts and
// channels belong to one product (`alerting`). Every product with pipelines adds itself as a source and serves their
// rules.
import type { Privilege } from '../../core/access.ts';
import type { Exchange, Route } from '../http/exchange.ts';

// The pipeline that rules query, or the central one of a contract and region.
export interface AlertPipeline {
  source: string; // the product that has it
  id: string;
  contract: number;
  region: string;
}

export interface FoundSample {
  labels: Readonly<Record<string, string>>;
  value: number;
}

// The rule could not be evaluated: its alerts stay as they are.
export class RuleError extends Error {}

// Its query took too much time or memory.
export class HeavyRule extends RuleError {}

// A module, by its URL: texts of rules are checked in a thread, which loads it there.
export interface RuleLanguage {
  module: string; // exports `checkExpression`
  example: string; // an expression
  records: boolean; // results of rules can be written to the pipeline, so recording rules make sense
}

// Returns what is wrong with the text, or undefined.
export type CheckExpression = (text: string) => string | undefined;

export interface PipelineFinder {
  // Undefined: it does not exist any more.
  find(contract: number, id: string): Promise<AlertPipeline | undefined>;
  // The pipeline that a call names, if the caller may see it (and change it, for a change); otherwise a Fault.
  see(x: Exchange, id: string, changes: boolean): Promise<AlertPipeline>;
}

export interface AlertSource extends PipelineFinder {
  name: string; // of the product: monitoring. It is stored with rules
  privilege: Privilege;
  language: RuleLanguage;
  // The values of an expression at one time; a RuleError where there are none to be had.
  query(pipeline: AlertPipeline, expression: string, timeMs: number): Promise<FoundSample[]>;
  dashboardUrl(contract: number, region: string): string;
}

// Paths below which the rules of a pipeline are served.
export interface RuleFront {
  path: string; // of the pipeline: its first parameter is the id
  name: string; // of the operations
}

// The interface that the product of alert rules offers to products with pipelines.
export interface Alerting {
  // Rules are written below `rules` and read below each of `reads`, with a token.
  routes(source: AlertSource, fronts: readonly (RuleFront & { rules: string; reads: readonly string[] })[]): Route[];
  // Rules and alerts, read on a pipeline's own address: `find` demands its key.
  readRoutes(front: RuleFront, find: (x: Exchange) => Promise<AlertPipeline>): Route[];
  run(source: string): Promise<void>; // evaluates the rules that are due, and delivers notifications
  forget(pipeline: string): Promise<void>; // it was deleted; may be called twice
}
