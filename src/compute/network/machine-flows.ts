// Records the flows of real packets at interfaces with a flow log.
import { type CapturingFlowLog, captures, type FlowCapture } from '../flow-log/capture.ts';
import type { PassedFlow, SkippedFlows } from '../flow-log/flow-totals.ts';
import type { InterfaceFlows } from './linux/flow-counts.ts';

export interface MachineFlowsTools {
  capture(): FlowCapture | undefined; // undefined without a storage to publish to
  now(): number;
}

type FlowLogs = ReadonlyMap<string, CapturingFlowLog>; // by the id of their interface

export class MachineFlows {
  readonly #tools: MachineFlowsTools;
  readonly #datacenters = new Map<string, FlowLogs>();
  #recorded: FlowLogs = new Map(); // also those that were deleted since the network was changed

  constructor(tools: MachineFlowsTools) {
    this.#tools = tools;
  }

  put(datacenterId: string, flowLogs: FlowLogs): void {
    this.#datacenters.set(datacenterId, flowLogs);
  }

  remove(datacenterId: string): void {
    this.#datacenters.delete(datacenterId);
  }

  // Calls `apply` with the ids of the interfaces to count. It reads the others for the last time.
  async change(apply: (logged: ReadonlySet<string>) => Promise<void>): Promise<void> {
    const isCapturing = this.#tools.capture() !== undefined;
    const current = new Map(isCapturing ? [...this.#datacenters.values()].flatMap((each) => [...each]) : []);
    this.#recorded = new Map([...this.#recorded, ...current]);
    await apply(new Set(current.keys()));
    this.#recorded = current;
  }

  async record(interfaces: readonly InterfaceFlows[]): Promise<void> {
    const time = this.#tools.now();
    const passed = new Map<CapturingFlowLog, (PassedFlow | SkippedFlows)[]>();
    for (const { id, flows, isComplete } of interfaces) {
      const flowLog = this.#recorded.get(id);
      if (!flowLog) continue;
      const captured = flows.filter((flow) => captures(flowLog, flow)).map((flow) => ({ ...flow, time }));
      if (captured.length > 0 || !isComplete)
        passed.set(flowLog, isComplete ? captured : [...captured, { time, isSkipped: true }]);
    }
    await this.#tools.capture()?.record(passed);
  }
}
