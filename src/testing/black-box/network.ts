// For tests: the network engines without a region.
export {
  applicationBalancer,
  balancer,
  datacenter,
  httpRule,
  lan,
  nic,
  rule,
  target,
} from '../../compute/network/contract/samples.ts';
export { accessIn } from '../../compute/network/linux/balancers/access-line.ts';
export type { Certificates } from '../../compute/network/linux/balancers/proxy-config.ts';
export { accessPipe, endProxy } from '../../compute/network/linux/balancers/proxy-script.ts';
export type { CountedFlow, InterfaceFlows } from '../../compute/network/linux/flow-counts.ts';
export { FlowReader, flowUnits } from '../../compute/network/linux/flow-reader.ts';
export { LinuxNetwork } from '../../compute/network/linux/linux-network.ts';
export { nicDevice } from '../../compute/network/linux/names.ts';
export { type Plan, planOf } from '../../compute/network/linux/plan.ts';
export { machineKey } from '../../compute/network/linux/unit.ts';
export { evaluate } from '../../compute/network/packet/evaluate.ts';
export type { DatacenterSpec, FirewallRule, HttpRule, Nic } from '../../compute/network/spec.ts';
export { httpRule as randomHttpRule } from '../../compute/network/testing/landscapes.ts';
export { request as randomRequest } from '../../compute/network/testing/packets.ts';
export { indexTopology } from '../../compute/network/topology/topology-index.ts';
export type { HttpRequest, Packet, Verdict } from '../../compute/network/verdict.ts';
