import { type Check, scenario } from '../harness/check.ts';
import type { Context } from '../harness/context.ts';
import { type Exchange, titleOf } from '../harness/exchange.ts';
import { Mismatch } from '../harness/expect.ts';

/** A rule about every answer of a kind that was seen in the run. */
export type AnswerRule = {
  readonly name: string;
  readonly appliesTo: (exchange: Exchange) => boolean;
  /** What the rule asks for. */
  readonly wanted: string;
  /** What the answer has instead, `null` when it keeps the rule. */
  readonly fault: (exchange: Exchange, ctx: Context) => string | null;
  /** Makes some answers of the kind, so that there is one when the check runs alone. */
  readonly sample: (ctx: Context) => Promise<unknown>;
};

const shownFaults = 3;

/** A check that judges every answer of the run, when all other checks are done. */
export function everyAnswer({ name, appliesTo, wanted, fault, sample }: AnswerRule): Check {
  const run = async (ctx: Context): Promise<void> => {
    await sample(ctx);
    const seen = ctx.log.exchanges.filter(appliesTo);
    if (seen.length === 0) throw new Mismatch(wanted, 'no such answer in the whole run');
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

/** A few failures of different kinds. */
export const sampleFailures = scenario(async (ctx) => {
  await Promise.all([
    ctx.customer.get('/v1/webhooks?limit=101'),
    ctx.customer.get('/v1/webhooks/whe_nothing'),
    ctx.stranger.get('/v1/webhooks'),
    ctx.stranger.get('/nowhere'),
  ]);
});

export const sampleSuccess = scenario((ctx) => ctx.customer.get('/v1/webhooks?limit=1'));

export async function sampleBoth(ctx: Context): Promise<void> {
  await Promise.all([sampleFailures(ctx), sampleSuccess(ctx)]);
}
