import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { anonymousCaller, customerCaller, type Log } from './client.ts';
import type { SuiteConfig } from './config.ts';
import type { Context } from './context.ts';
import { RawHttp } from './http.ts';
import { createIntake } from './intake.ts';
import { createReceiver } from './receiver.ts';
import { Slots } from './slots.ts';

/** The connections and counters of one run. */
export type Session = ReturnType<typeof openSession>;

/** Counts and reports overlapping waits once. */
class Waits {
  totalMs = 0;
  #until = 0;
  readonly #onWait: (reason: string, ms: number) => void;

  constructor(onWait: (reason: string, ms: number) => void) {
    this.#onWait = onWait;
  }

  add(now: number, reason: string, ms: number): void {
    if (now >= this.#until) this.#onWait(reason, ms);
    this.totalMs += Math.max(0, now + ms - Math.max(now, this.#until));
    this.#until = Math.max(this.#until, now + ms);
  }
}

/** Endpoints that a customer may have. */
const endpointsPerCustomer = 5;

/** Fast, but light enough for a service on a laptop. */
const requestsInFlight = 12;

const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The alphabet has 32 letters, a power of two, so every letter is equally likely. */
function randomText(size: number): string {
  return Array.from(randomBytes(size), (byte) => letters.charAt(byte % letters.length)).join('');
}

/** @param onSend called before each message to the intake */
export function openSession(
  config: SuiteConfig,
  onWait: (reason: string, ms: number) => void,
  onSend: (message: object) => void,
) {
  const http = new RawHttp();
  const log: Log = { exchanges: [] };
  const waits = new Waits(onWait);
  const pace = {
    now: Date.now,
    sleep: (ms: number) => delay(ms),
    onWait: (reason: string, ms: number) => waits.add(Date.now(), reason, ms),
  };
  const deps = { url: config.url, http, log, pace, gate: new Slots(requestsInFlight) };
  const customer = customerCaller(deps, 'customer', config.keys);
  const other = customerCaller(deps, 'other', config.other_keys);
  const receiver = config.receiver === undefined ? undefined : createReceiver(config.receiver, http);
  const intake = config.intake === undefined ? undefined : createIntake(config.intake, onSend);
  const context: Context = {
    config,
    tag: `c${randomText(10).toLowerCase()}`,
    customer: customer.caller,
    other: other.caller,
    anonymous: anonymousCaller(deps),
    log,
    receiver: () => given(receiver, 'receiver'),
    intake: () => given(intake, 'intake'),
    slots: { customer: new Slots(endpointsPerCustomer), other: new Slots(endpointsPerCustomer) },
    now: pace.now,
    sleep: pace.sleep,
    randomText,
  };
  return {
    context,
    requests: () => ({ customer: customer.ring.taken, other: other.ring.taken, all: log.exchanges.length }),
    /** Total milliseconds that requests have waited for the request limit. */
    waitedMs: () => waits.totalMs,
    close: () => {
      intake?.close();
      http.close();
    },
  };
}

function given<Part>(part: Part | undefined, name: string): Part {
  if (part === undefined) throw new Error(`No ${name} is configured`);
  return part;
}
