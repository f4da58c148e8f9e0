// Alerting: rules that a reconciler evaluates, their alerts, and the channels that are notified. All that matters is in
// the state; what is in memory may be lost at any moment.
import type { Reconciler } from '../../core/reconciler.ts';
import type { Exchange, Route } from '../../surface/http/exchange.ts';
import { type AlertPipeline, dropRules } from './alert-rows.ts';
import { Deliveries } from './channels/deliveries.ts';
import { channelRoutes } from './channels/routes.ts';
import { EvaluationSchedule } from './evaluation/schedule.ts';
import type { AlertTools } from './ports.ts';
import { answerAlerts, answerRules, type RuleReader } from './rules/prometheus-api.ts';
import { type Front, readRoutes, ruleRoutes } from './rules/routes.ts';
import { simpleRoutes } from './rules/simple-routes.ts';

export { pipelinePort } from './pipeline-port.ts';
export type { AlertMetrics, AlertTools, PipelinePort } from './ports.ts';

const everyMs = 1000;

export class Alerts {
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

  // For the monitoring service.
  routes(): Route[] {
    return [
      ...ruleRoutes(this.#tools, this.#reader),
      ...simpleRoutes(this.#tools, this.#reader),
      ...channelRoutes(this.#tools),
    ];
  }

  // Deliveries come last, so that what an evaluation found is sent in the same run.
  reconciler(): Reconciler {
    return {
      name: 'alerts',
      everyMs,
      run: async () => {
        await this.#rounds.run();
        await this.#deliveries.run();
      },
    };
  }

  // /api/v1/rules and /api/v1/alerts for a pipeline's own endpoint, whose key `find` demands.
  readRoutes(front: Front, find: (x: Exchange) => Promise<AlertPipeline>): Route[] {
    return readRoutes(this.#reader, front, find);
  }

  // The schemas of their answers.
  answer(pipeline: AlertPipeline, path: 'rules' | 'alerts', asked: URLSearchParams): Promise<object> {
    return path === 'rules' ? answerRules(this.#reader, pipeline, asked) : answerAlerts(this.#reader, pipeline);
  }

  // Called when a pipeline is deleted; may be called twice.
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
