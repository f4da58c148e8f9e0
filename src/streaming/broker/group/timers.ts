// Timers that tests can move by hand. Sessions of group members run in real time.

export interface Timers {
  after(ms: number, run: () => void): () => void; // returns how to cancel it
}

export const realTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
