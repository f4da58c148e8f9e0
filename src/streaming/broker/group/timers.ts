// Timers that tests can trigger. Sessions of group members run in real time.

export interface Timers {
  after(ms: number, run: () => void): () => void; // returns a function that cancels it
}

export const realTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
