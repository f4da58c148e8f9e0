// Runs in the same process as the setup.
export default () => globalThis.cumulet.stop();
