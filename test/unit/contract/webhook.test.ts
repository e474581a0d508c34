import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { presentWebhook, registerWebhookBody, webhookRecord } from '#shared/contract/records/webhook.ts';
import { buildEndpoint, hour, sealedSecret, startOfTest } from '../../support/values/builders.ts';
import { secretNamed } from '../../support/values/secret-named.ts';

const url = 'https://hooks.example.com/events';
const pointsAt = (body: unknown) =>
  registerWebhookBody.safeParse(body).error?.issues.map((issue) => issue.path.join('/'));

describe('registerWebhookBody', () => {
  it('accepts a URL with an empty description when none is given, and ignores unknown members', () => {
    expect(registerWebhookBody.parse({ url, events: ['*'] })).toEqual({ url, description: '' });
  });

  it.each([
    ['500 characters', 'x'.repeat(500)],
    ['white space as given', '  a\tb\r\nc  '],
    ['letters, signs and emoji', 'Überwachung “A” 🎬'],
  ])('keeps a description of %s', (_, description) => {
    expect(registerWebhookBody.parse({ url, description }).description).toBe(description);
  });

  it.each([
    ['a URL in another case', { URL: url }, 'url'],
    ['a URL with half a surrogate pair', { url: `${url}\ud800` }, 'url'],
    ['a description with a control character', { url, description: 'a\u0000b' }, 'description'],
    ['a description with an escape sequence', { url, description: '\u001b[31m' }, 'description'],
    ['a description with a control character beyond ASCII', { url, description: '\u0085' }, 'description'],
    ['a description with a surrogate pair in reverse', { url, description: '\udc00\ud800' }, 'description'],
    ['a description with U+FFFE', { url, description: 'a\ufffe' }, 'description'],
    ['a description with U+FFFF', { url, description: 'a\uffff' }, 'description'],
    ['a description with half a surrogate pair', { url, description: '\ud83d' }, 'description'],
  ])('refuses %s', (_, body, pointer) => {
    expect(new Set(pointsAt(body))).toEqual(new Set([pointer]));
  });
});

describe('presentWebhook()', () => {
  it('shows an endpoint, and only the prefix of its secret', () => {
    const given = { description: 'Billing', activatedAt: startOfTest + 1, lastDeliveryAt: null };
    const endpoint = buildEndpoint(given);

    const record = presentWebhook(endpoint, startOfTest);

    expect(record).toEqual({
      id: endpoint.id,
      url,
      status: 'active',
      description: 'Billing',
      secret_prefix: 'whsec_curren',
      previous_secret_expires_at: null,
      created_at: '2026-11-20T12:00:00.500Z',
      activated_at: '2026-11-20T12:00:00.501Z',
      last_delivery_at: null,
      failing_since: null,
    });
    expect(z.strictObject(webhookRecord.shape).parse(record)).toEqual(record);
  });

  it('shows the end of an overlap only while it is open', () => {
    const endpoint = buildEndpoint({
      previousSecret: sealedSecret(secretNamed('previous')),
      previousSecretExpiresAt: startOfTest + 24 * hour,
    });
    const shownAt = (now: number) => presentWebhook(endpoint, now).previous_secret_expires_at;

    expect(shownAt(startOfTest + 24 * hour - 1)).toBe('2026-11-21T12:00:00.500Z');
    expect(shownAt(startOfTest + 24 * hour)).toBeNull();
  });
});
