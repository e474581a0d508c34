import type { Answer } from '../../local/parties/customer/customer-client.ts';
import type { SeededCustomer } from '../../local/stack/customer-keys.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';
import { eventually } from '../support/stack/eventually.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import type { TestEndpoint } from './endpoints.ts';

/** A call of the API that is repeated. */
export type ApiCall = {
  readonly name: string;
  readonly customer: SeededCustomer;
  readonly make: (customer: StackCustomer) => Promise<Answer>;
  /** The promised result while the service is away; `either` without a promise. */
  readonly whileAway: 'works' | 'fails' | 'either';
};

export type MadeCall = {
  readonly call: ApiCall;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** `null` when the connection broke. */
  readonly answer: Answer | null;
};

/** Keeps each key well below its request limit, because customers take turns. */
const everyMs = 1_200;

/** Makes calls of the API in turn, without waiting for slow ones. */
export class ApiCaller {
  readonly made: MadeCall[] = [];
  readonly #stack: () => StackFile | null;
  readonly #calls: readonly ApiCall[];
  readonly #pending = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #begun = 0;

  constructor(stack: () => StackFile | null, calls: readonly ApiCall[]) {
    this.#stack = stack;
    this.#calls = calls;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#next(), everyMs);
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await Promise.all(this.#pending);
  }

  #next(): void {
    const call = this.#calls[this.#begun % this.#calls.length];
    const stack = this.#stack();
    this.#begun += 1;
    if (call === undefined || stack === null) return;
    const making = this.#make(call, stack).finally(() => this.#pending.delete(making));
    this.#pending.add(making);
  }

  async #make(call: ApiCall, stack: StackFile): Promise<void> {
    const from = Date.now();
    const answer = await call.make(new StackCustomer(stack, call.customer)).catch(() => null);
    this.made.push({ call, from, to: Date.now(), answer });
  }
}

/** Makes each kind of call once for each customer, with retries. @returns the calls that still fail after the outage */
export async function callsThatFail(stack: StackFile, calls: readonly ApiCall[]): Promise<readonly string[]> {
  const failures: string[] = [];
  const kinds = new Map(calls.map((call) => [`${call.name} ${call.customer.id}`, call]));
  for (const call of kinds.values()) {
    const work = async () => {
      const answer = await call.make(new StackCustomer(stack, call.customer));
      if (answer.status >= 300)
        throw new Error(`"${call.name}" still got ${describe(answer)} after the outage`);
    };
    await eventually(work, { timeout: 300_000, interval: 2_000 }).catch((error: unknown) =>
      failures.push(String(error)),
    );
  }
  return failures;
}

export type Away = { readonly from: number; readonly to: number };

/** @param away the time of the outage; `null` when the stack itself was killed. @returns the forbidden responses of the API */
export function judgeCalls(made: readonly MadeCall[], away: Away | null): readonly string[] {
  return made.flatMap(({ call, from, to, answer }) => {
    if (answer === null) return away === null ? [] : [`"${call.name}" got no response`];
    const wrong = `"${call.name}" got ${describe(answer)}`;
    if ([401, 403, 404].includes(answer.status)) return [wrong];
    if (answer.status >= 500 && answer.contentType !== 'application/problem+json') {
      return [`${wrong}, which is not a problem document`];
    }
    if (away === null || from < away.from || to > away.to) return [];
    if (call.whileAway === 'works' && answer.status >= 300)
      return [`${wrong} although it does not need the service`];
    if (call.whileAway === 'fails' && answer.status < 500) return [`${wrong} while the service was away`];
    return [];
  });
}

const describe = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body)?.slice(0, 200)}`;

export const countFailures = (made: readonly MadeCall[]): number =>
  made.filter(({ answer }) => answer !== null && answer.status >= 500).length;

/** Reads that every customer makes. */
export function readingCalls(
  endpoints: readonly TestEndpoint[],
  whileAway: ApiCall['whileAway'],
): readonly ApiCall[] {
  return endpoints.flatMap(({ customer, webhookId }) => [
    { name: 'list endpoints', customer, whileAway, make: (client) => client.request('GET', '/v1/webhooks') },
    { name: 'list Runs', customer, whileAway, make: (client) => client.request('GET', '/v1/runs') },
    {
      name: 'list deliveries',
      customer,
      whileAway,
      make: (client) => client.request('GET', `/v1/webhooks/${webhookId}/deliveries`),
    },
  ]);
}
