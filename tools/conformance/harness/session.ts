import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SuiteConfig } from '../config.ts';
import { createCaller, type Log } from './client.ts';
import { createIntake } from './intake.ts';
import { createReceiver } from './receiver.ts';
import { Slots } from './slots.ts';

/** The tools that the checks and scenarios of one run share. */
export type Context = ReturnType<typeof openSession>;

/** The two customers of a run. */
export type Customer = 'customer' | 'other';

/** Endpoints that a customer may have. */
const endpointsPerCustomer = 5;

/** @param onWait called before a wait for the request limit of the keys; waits at the same time are one */
export function openSession(config: SuiteConfig, onWait: (ms: number) => void) {
  const log: Log = { exchanges: [], pending: new Set() };
  const ended = new AbortController();
  let waitsUntil = 0;
  const report = (ms: number) => {
    if (Date.now() >= waitsUntil) onWait(ms);
    waitsUntil = Math.max(waitsUntil, Date.now() + ms);
  };
  const callerOf = (by: Customer | 'none', keys: readonly string[]) =>
    createCaller({ url: config.url, by, keys, log, signal: ended.signal, onWait: report });
  const receiver = config.receiver && createReceiver(config.receiver);
  const intake = config.intake && createIntake(config.intake);
  return {
    config,
    /** Unique per run; prefixes the names of everything that the run creates. */
    tag: `c${randomText(10).toLowerCase()}`,
    customer: callerOf('customer', config.keys),
    other: callerOf('other', config.other_keys),
    /** Sends no credential, unless the headers hold one. */
    anonymous: callerOf('none', []),
    log,
    /** Throws when the run has none; checks that use it must name it in `needs`. */
    receiver: () => given(receiver, 'receiver'),
    intake: () => given(intake, 'intake'),
    /** Endpoints that can exist at the same time. */
    slots: { customer: new Slots(endpointsPerCustomer), other: new Slots(endpointsPerCustomer) },
    now: Date.now,
    sleep: (ms: number) => sleep(ms),
    randomText,
    /** Sends no more requests, and waits for the responses. */
    end: async () => {
      ended.abort(new Error('The run has ended'));
      await Promise.allSettled(log.pending);
    },
  };
}

function given<Part>(part: Part | undefined, name: string): Part {
  if (part === undefined) throw new Error(`No ${name} is configured`);
  return part;
}

const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The alphabet has 32 letters, a power of two, so every letter is equally likely. */
function randomText(size: number): string {
  return Array.from(randomBytes(size), (byte) => letters.charAt(byte % letters.length)).join('');
}
