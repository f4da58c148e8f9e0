// Repeats calls of long series when the region asks to slow down or doesn't answer for a moment.
import { ApiError } from '../../api.ts';

const attempts = 6;
const firstPauseMs = 500;
const mayPass = (error: unknown): boolean => error instanceof ApiError && [0, 429, 500, 503].includes(error.status);

export type Wait = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export async function withRetries<T>(work: () => Promise<T>, signal?: AbortSignal, wait: Wait = pause): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || attempt === attempts) throw error;
      await wait(firstPauseMs * 2 ** (attempt - 1), signal);
    }
  }
}

const pause: Wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('given up', 'AbortError'));
    });
  });
