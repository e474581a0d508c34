import { type Check, scenario } from '../harness/check.ts';
import type { Context } from '../harness/context.ts';
import { type Exchange, titleOf } from '../harness/exchange.ts';
import { Mismatch } from '../harness/expect.ts';

/** A rule about every response of a kind in the run. */
export type AnswerRule = {
  readonly name: string;
  readonly appliesTo: (exchange: Exchange) => boolean;
  /** The rule. */
  readonly wanted: string;
  /** Describes how a response breaks the rule; `null` when it complies. */
  readonly fault: (exchange: Exchange, ctx: Context) => string | null;
  /** Requests a response of this kind, for when the check runs alone. */
  readonly sample: (ctx: Context) => Promise<unknown>;
};

const shownFaults = 3;

/** A check that judges every response of the run, after all other checks. */
export function everyAnswer({ name, appliesTo, wanted, fault, sample }: AnswerRule): Check {
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

/** A sample of failures of different kinds. */
export const sampleFailures = scenario(async (ctx) => {
  await Promise.all([
    ctx.customer.get('/v1/webhooks?limit=101'),
    ctx.customer.get('/v1/webhooks/whe_nothing'),
    ctx.anonymous.get('/v1/webhooks'),
    ctx.anonymous.get('/nowhere'),
  ]);
});

export const sampleSuccess = scenario((ctx) => ctx.customer.get('/v1/webhooks?limit=1'));

export async function sampleBoth(ctx: Context): Promise<void> {
  await Promise.all([sampleFailures(ctx), sampleSuccess(ctx)]);
}
