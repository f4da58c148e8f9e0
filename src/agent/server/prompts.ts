// Prompts: frequent questions, with the tools that answer them. The user's arguments are quoted.
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
      'one change to make, and what else it would open. If it is accepted, say so, and call what_changed to find what was ' +
      'different before.',
  },
  {
    name: 'monthly_cost',
    title: 'What did this month cost?',
    description: 'Explains the bill of a month: the highest costs, and possible savings.',
    arguments: [argument('period', 'YYYY-MM; this month by default', false)],
    ask: ({ period }) =>
      `What did ${period === undefined ? 'this month' : `the month ${quoted(period)}`} cost? ` +
      `Call monthly_cost${period === undefined ? '' : ' with that period'}: its result is complete, highest cost first. Begin with ` +
      'the total and how it compares with the month before; if the month is not over, say so, and what everything that ' +
      'runs would cost in 30 days. Then show a table by product and one by datacenter, and the most expensive resources by ' +
      'name, with the reason for their cost. Finally, call find_unused, and say what could be saved and how much. Take every ' +
      'figure from the tools.',
  },
  {
    name: 'clean_up',
    title: 'What can be removed?',
    description: 'Finds resources that cost money and that no one uses.',
    arguments: [],
    ask: () =>
      'Which resources of this contract does no one use, although they cost money? Call find_unused. For each finding say what it is, where it is, since when, what it costs in 30 days, and how to make sure that no one needs it. Do not remove anything: these tools only read.',
  },
  {
    name: 'investigate_alert',
    title: 'Why does this alert fire?',
    description: 'Examines the alert, its metric, the logs and recent changes.',
    arguments: [argument('alert', 'The name of the alert; all that fire by default', false)],
    ask: ({ alert }) =>
      `Explain ${alert === undefined ? 'the alerts that are firing' : `the alert ${quoted(alert)}`}. ` +
      'Call explain_alert, then query_metrics around the time at which it began, search_logs for the same time, and ' +
      'what_changed for the hour before. Tell what happened in the order of time, and what is only a guess.',
  },
  {
    name: 'describe_datacenter',
    title: 'How is this datacenter built?',
    description: 'A diagram of a datacenter with its notable points.',
    arguments: [argument('datacenter', "The datacenter's id or name")],
    ask: ({ datacenter }) =>
      `How is the datacenter ${quoted(datacenter)} built? Find it with list_datacenters, show the diagram of show_topology, and explain in a few sentences what is reachable from the internet and what is not. Say what stands out: single points of failure, open firewalls, servers that do not run.`,
  },
];

export const prompts = questions.map(({ ask: _, ...prompt }) => prompt);

export function promptOf(name: string, args: Readonly<Record<string, string>>) {
  const question = questions.find((one) => one.name === name);
  if (!question) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Prompt ${quoted(name)} does not exist.`);
  const missing = question.arguments.find((one) => one.required && !args[one.name]);
  if (missing)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${name} requires the argument ${missing.name}.`);
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== ''));
  const content = { type: 'text' as const, text: question.ask(given) };
  return { description: question.description, messages: [{ role: 'user' as const, content }] };
}
