import { describe, expect, it } from 'vitest';
import { signatureOf } from '../../../tools/conformance/checks/verify.ts';
import { verifySignature } from '../../../tools/smoke/real-delivery.ts';
import { NotApplicable } from '../../../tools/smoke/steps.ts';

const at = Date.UTC(2026, 10, 20);
const endpoint = { path: '/v1/webhooks/whe_1', secret: 'whsec_c2VjcmV0', testEventId: 'evt_0' };
const event = { eventId: 'evt_1', body: '{"id":"evt_1"}' };
const wait = { seconds: 0.01, clock: { now: Date.now, sleep: async () => undefined } };

function receiverOf(body: string, secret = endpoint.secret, signed = body) {
  const bytes = Buffer.from(body);
  const time = at / 1_000;
  const headers = new Map([
    ['x-service-event-id', 'evt_1'],
    ['x-service-signature', `t=${time},v1=${signatureOf(secret, time, Buffer.from(signed))}`],
  ]);
  const post = { at, headers, body: bytes, json: undefined };
  return { url: 'https://receiver.example.com', posts: async () => [post], close: () => undefined };
}

describe('verifySignature()', () => {
  it('accepts the body that the API shows, signed with the secret of the registration', async () => {
    const { detail } = await verifySignature(receiverOf(event.body), endpoint, event, wait);

    expect(detail).toBe('verified over the 14 bytes that the receiver got');
  });

  it.each([
    ['another secret', receiverOf(event.body, 'whsec_b3RoZXI='), 'The signature of evt_1 does not verify'],
    ['other bytes', receiverOf(event.body, endpoint.secret, '{}'), 'The signature of evt_1 does not verify'],
    ['another body than the API shows', receiverOf('{}'), 'is not the body that the API shows'],
  ])('refuses %s', async (_, receiver, reason) => {
    await expect(verifySignature(receiver, endpoint, event, wait)).rejects.toThrow(reason);
  });

  it('fails when the POST does not reach the receiver in time', async () => {
    const receiver = { ...receiverOf(event.body), posts: async () => [] };

    await expect(verifySignature(receiver, endpoint, event, wait)).rejects.toThrow('got nothing within');
  });

  it('does not apply to a receiver that only its owner can read', async () => {
    const receiver = { ...receiverOf(event.body), posts: null };

    await expect(verifySignature(receiver, endpoint, event, wait)).rejects.toThrow(NotApplicable);
  });
});
