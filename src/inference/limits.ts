// The rate limits of a contract: for all its requests together, and for images in addition. They use real time.
import { Fault } from '../base/fault.ts';
import type { Exchange } from '../surface/http/exchange.ts';
import { Throttle } from '../surface/http/throttle.ts';

const imagesPerMinute = 10;

export class InferenceLimits {
  readonly #perSecond: number;
  readonly #requests: Throttle;
  readonly #images: Throttle;

  constructor(perSecond: number, realNow: () => number) {
    this.#perSecond = perSecond;
    this.#requests = new Throttle(perSecond * 60, perSecond * 2, realNow);
    this.#images = new Throttle(imagesPerMinute, imagesPerMinute * 2, realNow);
  }

  // Takes one request, and reports the remaining requests in the headers of its answer.
  takeRequest(x: Exchange): void {
    const left = this.#requests.take(x.who.contract);
    const { burst } = this.#requests;
    const remaining = String(Math.max(0, Math.floor(left)));
    x.rate = ['X-RateLimit-Limit', `${this.#perSecond}`, 'X-RateLimit-Burst', `${burst}`];
    x.rate.push('X-RateLimit-Remaining', remaining);
    if (left < 0) throw exceeded(`${this.#perSecond} requests a second, ${burst} at once`, -left);
  }

  // Takes all images of a request, or none.
  takeImages(x: Exchange, count: number): void {
    const left = this.#images.take(x.who.contract, count);
    const { perMinute, burst } = this.#images;
    if (left < 0) throw exceeded(`${perMinute} images a minute, ${burst} at once`, -left);
  }
}

const exceeded = (limit: string, retryAfterS: number): Fault =>
  new Fault('throttled', `The contract has exceeded its limit of ${limit}. Try again later.`, {
    code: 'rate_limit_exceeded',
    retryAfterS,
  });
