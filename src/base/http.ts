// node:http without the cost of an import statement: that evaluates every export of a built-in module, and the getter
// of WebSocket loads all of undici, a quarter of the start time. Types are imported as usual.

export const { createServer, request, STATUS_CODES: statusWords } = process.getBuiltinModule('node:http');
