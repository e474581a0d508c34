import { type Check, scenario } from '../harness/check.ts';
import { type Exchange, headerOf, isSuccess } from '../harness/exchange.ts';
import { Mismatch, show } from '../harness/expect.ts';
import { at } from '../harness/json.ts';
import type { Context } from '../harness/session.ts';
import { isFailure } from './problems.ts';

/** A kind of responses. */
export type Kind = {
  readonly appliesTo: (exchange: Exchange) => boolean;
  /** Requests a response of this kind, for when the check runs alone. */
  readonly sample: (ctx: Context) => Promise<unknown>;
};

/** A rule about every response of a kind in the run. */
export type ResponseRule = {
  readonly name: string;
  /** The rule. */
  readonly wanted: string;
  /** Describes how a response breaks the rule; `null` when it complies. */
  readonly fault: (exchange: Exchange, ctx: Context) => string | null;
};

const shownFaults = 3;

/** A check that judges every response of a kind in the run, after all other checks. */
export function everyResponse({ appliesTo, sample }: Kind, { name, wanted, fault }: ResponseRule): Check {
  const run = async (ctx: Context): Promise<void> => {
    await sample(ctx);
    const seen = ctx.log.exchanges.filter(appliesTo);
    if (seen.length === 0) throw new Mismatch(wanted, 'no such response in the run');
    const faults = seen.flatMap((exchange) => {
      const found = fault(exchange, ctx);
      return found === null ? [] : [`${found} (${titleOf(exchange)})`];
    });
    if (faults.length > 0) throw new Mismatch(wanted, listed(faults, seen.length));
  };
  return { name, needs: [], phase: 'last', run };
}

function listed(faults: readonly string[], seen: number): string {
  return `${faults.length} of ${seen} answers with ${faults.slice(0, shownFaults).join('; ')}`;
}

/** A short name for a report. */
function titleOf({ request, status }: Exchange): string {
  const path = request.path.length > 90 ? `${request.path.slice(0, 90)}…` : request.path;
  return `${request.method} ${path} → ${status}`;
}

/** The fault of a response of which a value is not right. */
export function faultOf<Value>(
  what: string,
  read: (exchange: Exchange) => Value,
  isRight: (value: Value, exchange: Exchange, ctx: Context) => boolean,
): ResponseRule['fault'] {
  return (exchange, ctx) => {
    const value = read(exchange);
    return isRight(value, exchange, ctx) ? null : `${what} ${show(value)}`;
  };
}

export type MemberTest = (value: unknown, exchange: Exchange, ctx: Context) => boolean;

/** The fault of a response of which a member of the body is not right. */
export function faultOfMember(name: string, isRight: MemberTest): ResponseRule['fault'] {
  return faultOf(name, ({ json }) => at(json, name), isRight);
}

export const header =
  (name: string) =>
  (exchange: Exchange): string =>
    headerOf(exchange, name) ?? '';

/** Failures of different kinds. */
const sampleFailures = scenario([], async (ctx) => {
  await Promise.all([
    ctx.customer.get('/v1/webhooks?limit=101'),
    ctx.customer.get('/v1/webhooks/whe_nothing'),
    ctx.anonymous.get('/v1/webhooks'),
    ctx.anonymous.get('/nowhere'),
  ]);
});

const sampleSuccess = scenario([], (ctx) => ctx.customer.get('/v1/webhooks?limit=1'));

/** @param appliesTo default: all failures */
export function failures(appliesTo: Kind['appliesTo'] = isFailure): Kind {
  return { appliesTo, sample: sampleFailures };
}

/** @param appliesTo default: all successes */
export function successes(appliesTo: Kind['appliesTo'] = isSuccess): Kind {
  return { appliesTo, sample: sampleSuccess };
}

/** @param appliesTo default: all responses */
export function responses(appliesTo: Kind['appliesTo'] = () => true): Kind {
  return { appliesTo, sample: (ctx) => Promise.all([sampleFailures(ctx), sampleSuccess(ctx)]) };
}
