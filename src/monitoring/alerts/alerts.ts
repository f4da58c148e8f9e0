// Alerting: rules that a reconciler evaluates, their alerts, and the notified channels. All essential data is in the
// state; data in memory may be lost at any time.
import type { Alerting, AlertPipeline, AlertSource, RuleFront } from '../../surface/alerting/source.ts';
import type { Exchange, Route } from '../../surface/http/exchange.ts';
import { dropRules } from './alert-rows.ts';
import { Deliveries } from './channels/deliveries.ts';
import { channelRoutes } from './channels/routes.ts';
import { EvaluationSchedule } from './evaluation/schedule.ts';
import type { AlertTools } from './ports.ts';
import { answerAlerts, answerRules, type RuleReader } from './rules/prometheus-api.ts';
import { readRoutes, ruleRoutes } from './rules/routes.ts';
import { simpleRoutes } from './rules/simple-routes.ts';

export class Alerts implements Alerting {
  #tools: AlertTools;
  #rounds: EvaluationSchedule;
  #deliveries: Deliveries;
  #reader: RuleReader;

  constructor(tools: AlertTools) {
    this.#tools = tools;
    this.#rounds = new EvaluationSchedule(tools);
    this.#deliveries = new Deliveries(tools);
    this.#reader = { tools, memoryOf: (about) => this.#rounds.memoryOf(about) };
  }

  // For the monitoring service: simple rules of all pipelines, and channels.
  commonRoutes(): Route[] {
    return [...simpleRoutes(this.#tools, this.#reader), ...channelRoutes(this.#tools)];
  }

  routes(source: AlertSource, fronts: Parameters<Alerting['routes']>[1]): Route[] {
    return ruleRoutes(this.#tools, this.#reader, source, fronts);
  }

  // Deliveries come last, so that notifications of an evaluation are sent in the same run.
  async run(source: string): Promise<void> {
    await this.#rounds.run(source);
    await this.#deliveries.run();
  }

  readRoutes(front: RuleFront, find: (x: Exchange) => Promise<AlertPipeline>): Route[] {
    return readRoutes(this.#reader, front, find);
  }

  // Answers for the threads.
  answer(pipeline: AlertPipeline, path: 'rules' | 'alerts', parameters: URLSearchParams): Promise<object> {
    return path === 'rules' ? answerRules(this.#reader, pipeline, parameters) : answerAlerts(this.#reader, pipeline);
  }

  forget(pipeline: string): Promise<void> {
    return dropRules(this.#tools.store, pipeline);
  }

  figures(): Record<string, number> {
    return { alert_rule_groups: this.#rounds.groups };
  }

  async close(): Promise<void> {
    await this.#rounds.close();
    await this.#deliveries.close();
  }
}
