// Metrics: the contract of engines, PromQL, rules and e-mails of alerts, for tests that compare them with programs of
// others or send to them.
export { machineTime } from '../../base/clock.ts';
export { Fault } from '../../base/fault.ts';
export { send } from '../../monitoring/alerts/channels/deliveries.ts';
export type { AlertPayload } from '../../monitoring/alerts/channels/payload.ts';
export { type ActiveAlert, stepAlerts } from '../../monitoring/alerts/evaluation/alert-state.ts';
export { readRules } from '../../monitoring/alerts/rules/check.ts';
export { checkExpression } from '../../monitoring/alerts/rules/expression.ts';
export type { AlertRule } from '../../monitoring/alerts/rules/rule-group.ts';
export type { MetricBench } from '../../monitoring/engine/contract/case.ts';
export { metricContract } from '../../monitoring/engine/contract/contract.ts';
export { base, newTenant, pushOf, selectionOf } from '../../monitoring/engine/contract/pushes.ts';
export { openRemoteReader, openRemoteWriter } from '../../monitoring/engine/remote/remote.ts';
export { MemoryReader } from '../../monitoring/promql/testing.ts';
export { fill, runEval } from '../../monitoring/promql/testing-cases/runner.ts';
export { type Eval, parseScript } from '../../monitoring/promql/testing-cases/script.ts';
export { decode } from '../../monitoring/push/decode.ts';
export type { Push, Sink } from '../../monitoring/push/sink.ts';
