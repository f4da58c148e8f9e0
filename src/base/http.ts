// node:http without what an import of it drags in: an import reads every export of a built-in module, and one of
// them, WebSocket, loads all of undici. That is a quarter of a start. Types may be imported as ever.

export const { createServer, request, STATUS_CODES: statusWords } = process.getBuiltinModule('node:http');
