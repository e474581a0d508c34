import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { assertDeliveredOnce } from '../../../tools/bench/support/verify-delivered.ts';

const now = 1_800_000_000;
const secrets = new Map([['one', 'whsec_one']]);
const events = ['run_1', 'run_2'].map((runId) => ({ runId, customer: 'one' }));
const arrivals = ['run_1', 'run_2'].map((runId) => ({ runId, customer: 'one', at: 1, isFirst: false }));

function sample(secret: string) {
  const body = Buffer.from('{}');
  const digest = createHmac('sha256', secret).update(`${now}.`).update(body).digest('hex');
  return {
    customer: 'one',
    signature: `t=${now},v1=${digest}`,
    bodyBase64: body.toString('base64'),
    arrivedAt: now,
  };
}

describe('assertDeliveredOnce()', () => {
  it('counts the events and the signatures when all are right', () => {
    const received = { arrivals, samples: [sample('whsec_one')] };

    expect(assertDeliveredOnce(events, received, secrets)).toEqual({ events: 2, signatures: 1 });
  });

  it.each([
    { fault: 'an event did not arrive', received: { arrivals: arrivals.slice(1), samples: [] } },
    { fault: 'an event arrived twice', received: { arrivals: [...arrivals, ...arrivals], samples: [] } },
    {
      fault: 'an event arrived at another endpoint',
      received: { arrivals: arrivals.map((arrival) => ({ ...arrival, customer: 'other' })), samples: [] },
    },
    { fault: 'a signature is wrong', received: { arrivals, samples: [sample('whsec_other')] } },
    {
      fault: 'a signature is older than five minutes',
      received: { arrivals, samples: [{ ...sample('whsec_one'), arrivedAt: now + 301 }] },
    },
    {
      fault: 'a signature is of an unknown endpoint',
      received: { arrivals, samples: [{ ...sample('whsec_one'), customer: 'other' }] },
    },
  ])('throws when $fault', ({ received }) => {
    expect(() => assertDeliveredOnce(events, received, secrets)).toThrow('Cannot trust the measurement');
  });
});
