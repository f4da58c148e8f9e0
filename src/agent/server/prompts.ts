// Prompts: questions that people ask often, with the tools that answer them. What a person fills in is quoted.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

interface Question {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
  ask(args: Readonly<Record<string, string>>): string;
}

const argument = (name: string, description: string, required = true) => ({ name, description, required });
const quoted = (text: string | undefined): string => JSON.stringify((text ?? '').slice(0, 500));

const questions: readonly Question[] = [
  {
    name: 'why_cant_reach',
    title: "Why can't A reach B?",
    description: 'Finds the rule, route or state that stops the traffic from one end to another.',
    arguments: [
      argument('from', 'A server (id or name), a NIC, an address, or internet'),
      argument('to', 'A server (id or name), a NIC or an address'),
      argument('port', 'The port; 443 by default', false),
      argument('protocol', 'TCP by default', false),
    ],
    ask: ({ from, to, port = '443', protocol = 'TCP' }) =>
      `Why can't ${quoted(from)} reach ${quoted(to)} by ${quoted(protocol)} on port ${quoted(port)}? ` +
      'Call explain_reachability first. If it is rejected, look at what decided it (the firewall rules of the NIC, the ' +
      'security groups, the LAN, the gateway or the state of the server) with the get and list tools, and tell me the ' +
      'one thing to change, and what it would open besides. If it is accepted, say so, and ask what_changed what was ' +
      'different before.',
  },
  {
    name: 'monthly_cost',
    title: 'What did this month cost?',
    description: 'Explains the bill of a month: what costs most, and what could be saved.',
    arguments: [argument('period', 'YYYY-MM; this month by default', false)],
    ask: ({ period }) =>
      `What did ${period === undefined ? 'this month' : `the month ${quoted(period)}`} cost? ` +
      `Call monthly_cost${period === undefined ? '' : ' with that period'}: it has everything, dearest first. Begin with ` +
      'the total and how it compares with the month before; if the month is not over, say so, and what everything that ' +
      'runs would cost in 30 days. Then show a table by product and one by datacenter, and the dearest resources by ' +
      'name, with what of them costs. Last, call find_unused, and say what could be saved and how much. Take every ' +
      'figure from the tools.',
  },
  {
    name: 'clean_up',
    title: 'What can be removed?',
    description: 'Finds what costs money and is used by nobody.',
    arguments: [],
    ask: () =>
      'What in this contract is used by nobody and still costs money? Call find_unused. For each finding say what it is, where, since when, what it costs in 30 days, and how to make sure that nobody needs it. Do not remove anything: these tools only read.',
  },
  {
    name: 'investigate_alert',
    title: 'Why does this alert fire?',
    description: 'Goes from an alert to its metric, to logs and to changes.',
    arguments: [argument('alert', 'The name of the alert; all that fire by default', false)],
    ask: ({ alert }) =>
      `Explain ${alert === undefined ? 'the alerts that are firing' : `the alert ${quoted(alert)}`}. ` +
      'Call explain_alert, then query_metrics around the time at which it began, search_logs for the same time, and ' +
      'what_changed for the hour before. Tell what happened in the order of time, and what is only a guess.',
  },
  {
    name: 'describe_datacenter',
    title: 'How is this datacenter built?',
    description: 'A diagram of a datacenter, and what stands out in it.',
    arguments: [argument('datacenter', "The datacenter's id or name")],
    ask: ({ datacenter }) =>
      `How is the datacenter ${quoted(datacenter)} built? Find it with list_datacenters, show the diagram of show_topology, and explain in a few sentences what is reachable from the internet and what is not. Say what stands out: single points of failure, open firewalls, servers that do not run.`,
  },
];

export const prompts = questions.map(({ ask: _, ...prompt }) => prompt);

export function promptOf(name: string, args: Readonly<Record<string, string>>) {
  const question = questions.find((one) => one.name === name);
  if (!question) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${quoted(name)}.`);
  const missing = question.arguments.find((one) => one.required && !args[one.name]);
  if (missing) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${name} needs the argument ${missing.name}.`);
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== ''));
  const content = { type: 'text' as const, text: question.ask(given) };
  return { description: question.description, messages: [{ role: 'user' as const, content }] };
}
