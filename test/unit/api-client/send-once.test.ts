import { describe, expect, it } from 'vitest';
import { sendOnce } from '../../../packages/api-client/send-once.ts';

type Answer = Response | Error;
const answer = (status: number, headers: Record<string, string> = {}) => new Response('{}', { status, headers });
const lost = new TypeError('fetch failed');

/** Sends a request to a service that gives these answers in order. */
async function play(answers: readonly Answer[], method = 'POST', init: RequestInit = {}) {
  const sent: { key: string | null; body: string }[] = [];
  const waits: number[] = [];
  const body = method === 'POST' ? { body: '{"url":"a"}' } : {};
  const request = new Request('https://api.example.com/v1/webhooks', { method, ...body, ...init });
  let keys = 0;
  const result = await sendOnce(request, {
    send: async (each) => {
      sent.push({ key: each.headers.get('Idempotency-Key'), body: await each.text() });
      const next = answers[sent.length - 1];
      if (next instanceof Error) throw next;
      if (next === undefined) throw new Error('One request too many');
      return next;
    },
    wait: async (milliseconds) => void waits.push(milliseconds),
    newKey: () => `key-${++keys}`,
  }).catch((error: unknown) => error);
  return { result, sent, waits };
}

const once = { key: 'key-1', body: '{"url":"a"}' };

describe('sendOnce()', () => {
  it.each<[string, readonly Answer[]]>([
    ['its response was lost', [lost, answer(201)]],
    ['the service failed', [answer(500), answer(201)]],
    ['a gateway gave up', [answer(504), lost, answer(201)]],
    ['an earlier try is under way', [answer(409, { 'Retry-After': '5' }), answer(201)]],
  ])('a POST is sent again with its key when %s', async (_case, answers) => {
    const { result, sent, waits } = await play(answers);

    expect(result).toBe(answers.at(-1));
    expect(sent).toEqual(answers.map(() => once));
    expect(waits).toEqual([1_000, 3_000].slice(0, answers.length - 1));
  });

  it.each([[201], [400], [401], [404], [409], [429]])('a POST with the answer %i is sent once', async (status) => {
    const { result, sent } = await play([answer(status)]);

    expect(result).toMatchObject({ status });
    expect(sent).toEqual([once]);
  });

  it('a POST that is never answered fails after three tries', async () => {
    const { result, sent } = await play([lost, lost, lost]);

    expect(result).toBe(lost);
    expect(sent).toEqual([once, once, once]);
  });

  it('a POST that was aborted is not sent again', async () => {
    const { result, sent } = await play([lost], 'POST', { signal: AbortSignal.abort() });

    expect(result).toBe(lost);
    expect(sent).toHaveLength(1);
  });

  it('a POST keeps the key that it has', async () => {
    const { sent } = await play([answer(201)], 'POST', { headers: { 'Idempotency-Key': 'mine' } });

    expect(sent).toEqual([{ ...once, key: 'mine' }]);
  });

  it.each(['GET', 'DELETE'])('a %s has no key, and is sent once', async (method) => {
    const { result, sent } = await play([answer(500)], method);

    expect(result).toMatchObject({ status: 500 });
    expect(sent).toEqual([{ key: null, body: '' }]);
  });
});
