// Reads LogQL, for tests that check the queries which the console writes.
export { parseQuery } from '../../logging/logql/syntax/parse.ts';
