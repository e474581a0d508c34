import { describe, expect, it } from 'vitest';
import { deliveryHeaders, openValidSecrets } from '#shared/operations/delivery/sign-event.ts';
import { buildEndpoint, customerId, startOfTest, webhookId } from '../../../support/values/builders.ts';

const rotated = buildEndpoint({
  secret: 'new',
  previousSecret: 'old',
  previousSecretExpiresAt: startOfTest + 1,
});

describe('openValidSecrets()', () => {
  it('opens what is valid, bound to the endpoint, the current one first', async () => {
    const contexts: unknown[] = [];
    const open = async (sealed: string, context: unknown) => {
      contexts.push(context);
      return `open ${sealed}`;
    };

    expect(await openValidSecrets(rotated, startOfTest, open)).toEqual(['open new', 'open old']);
    expect(await openValidSecrets(rotated, startOfTest + 1, open)).toEqual(['open new']);
    expect(contexts).toEqual([1, 2, 3].map(() => ({ customerId, webhookId })));
  });
});

describe('deliveryHeaders()', () => {
  it('carry the name of the service', () => {
    const headers = deliveryHeaders({
      serviceName: 'Acme',
      secrets: ['one', 'two'],
      event: { id: 'evt_1', type: 'run.completed' },
      body: new TextEncoder().encode('{}'),
      sentAt: startOfTest + 499,
    });

    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Acme-Webhooks/1',
      'X-Acme-Signature': expect.stringMatching(/^t=1795176000(,v1=[0-9a-f]{64}){2}$/),
      'X-Acme-Event-Id': 'evt_1',
      'X-Acme-Event-Type': 'run.completed',
    });
  });
});
