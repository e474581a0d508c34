import type { SeededCustomer, StackFile } from '../../tools/local/stack/stack-file.ts';
import { eventually } from '../support/stack/eventually.ts';
import type { Answer } from '../support/stack/stack-customer.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import type { TestEndpoint } from './receivers.ts';

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

/** Makes calls of the API in turn, without waiting for slow ones. @param stack `null` while none runs */
export function callApi(stack: () => StackFile | null, calls: readonly ApiCall[]) {
  const made: MadeCall[] = [];
  const pending: Promise<void>[] = [];
  let begun = 0;
  const timer = setInterval(() => {
    const [call, info] = [calls[begun % calls.length], stack()];
    begun += 1;
    if (call !== undefined && info !== null) pending.push(make(call, info));
  }, everyMs);
  const make = async (call: ApiCall, info: StackFile): Promise<void> => {
    const from = Date.now();
    const answer = await call.make(new StackCustomer(info, call.customer)).catch(() => null);
    made.push({ call, from, to: Date.now(), answer });
  };
  return {
    made,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await Promise.all(pending);
    },
  };
}

/** Makes each kind of call once for each customer, with retries. @returns the calls that still fail after the outage */
export async function callsThatFail(stack: StackFile, calls: readonly ApiCall[]): Promise<readonly string[]> {
  const failures: string[] = [];
  const kinds = new Map(calls.map((call) => [`${call.name} ${call.customer.id}`, call]));
  for (const { name, customer, make } of kinds.values()) {
    const succeed = async () => {
      const answer = await make(new StackCustomer(stack, customer));
      if (answer.status >= 300) throw new Error(`"${name}" still got ${describe(answer)} after the outage`);
    };
    await eventually(succeed, { timeout: 300_000, interval: 2_000 }).catch((error: unknown) =>
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
    if (call.whileAway === 'works' && answer.status >= 300) return [`${wrong} although it does not need the service`];
    if (call.whileAway === 'fails' && answer.status < 500) return [`${wrong} while the service was away`];
    return [];
  });
}

const describe = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body)?.slice(0, 200)}`;

export const countFailures = (made: readonly MadeCall[]): number =>
  made.filter(({ answer }) => answer !== null && answer.status >= 500).length;

/** Reads that every customer makes. */
export function readingCalls(endpoints: readonly TestEndpoint[], whileAway: ApiCall['whileAway']): readonly ApiCall[] {
  return endpoints.flatMap(({ customer, webhookId }) => {
    const paths = {
      'list endpoints': '/v1/webhooks',
      'list Runs': '/v1/runs',
      'list deliveries': `/v1/webhooks/${webhookId}/deliveries`,
    };
    return Object.entries(paths).map(([name, path]): ApiCall => {
      return { name, customer, whileAway, make: (client) => client.request('GET', path) };
    });
  });
}
