import { describe, expect, it } from 'vitest';
import type { Answer } from '../../local/parties/customer/customer-client.ts';
import { type ApiCall, judgeCalls, type MadeCall } from './api-calls.ts';

const away = { from: 1_000, to: 2_000 };

function made(status: number, given: Partial<MadeCall> & Partial<Pick<ApiCall, 'whileAway'>> = {}): MadeCall {
  const { whileAway = 'either', ...rest } = given;
  const answer: Answer = { status, contentType: 'application/problem+json', body: {} };
  const customer = { id: 'cus_1', api_key: 'key_1' };
  const call: ApiCall = { name: 'call', customer, whileAway, make: async () => answer };
  return { call, from: 1_100, to: 1_900, answer, ...rest };
}

describe('judgeCalls()', () => {
  it.each([
    ['a failure that is promised', made(500, { whileAway: 'fails' })],
    ['an answer that is promised', made(200, { whileAway: 'works' })],
    ['an answer to a call that was made before the outage', made(200, { whileAway: 'fails', from: 900 })],
    ['a failure of a call that ended after the outage', made(500, { whileAway: 'works', to: 2_100 })],
    ['a conflict where either may happen', made(409)],
  ])('accepts %s', (_case, call) => {
    expect(judgeCalls([call], away)).toEqual([]);
  });

  it.each([
    ['a refused credential', made(401)],
    ['a denial', made(403, { from: 0 })],
    ['a disappearance', made(404, { to: 9_000 })],
    ['a success without the service', made(200, { whileAway: 'fails' })],
    ['a failure without need', made(500, { whileAway: 'works' })],
    ['no answer', made(500, { answer: null })],
    [
      'a failure that is no problem',
      made(502, { answer: { status: 502, contentType: 'text/html', body: '' } }),
    ],
  ])('refuses %s', (_case, call) => {
    expect(judgeCalls([call], away)).toHaveLength(1);
  });

  it('accepts a connection that broke when the stack itself was killed', () => {
    expect(judgeCalls([made(500, { answer: null })], null)).toEqual([]);
  });
});
