import { describe, expect, it } from 'vitest';
import { deliveryHeaders } from '#shared/operations/delivery/send-attempt.ts';
import { startOfTest } from '../../../support/values/builders.ts';
import { secretNamed } from '../../../support/values/secret-named.ts';

describe('deliveryHeaders()', () => {
  it.each([
    { standardWebhooks: true, others: 'the headers of Standard Webhooks' },
    { standardWebhooks: false, others: 'no others' },
  ])('returns headers with the prefix of the service, and $others', ({ standardWebhooks }) => {
    const event = { id: 'evt_1', type: 'run.completed' };
    const body = new TextEncoder().encode('{}');

    const headers = deliveryHeaders(
      { serviceName: 'Acme', standardWebhooks },
      [secretNamed('one'), secretNamed('two')],
      event,
      body,
      startOfTest + 499,
    );

    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Acme-Webhooks/1',
      'X-Acme-Signature': expect.stringMatching(/^t=1795176000(,v1=[0-9a-f]{64}){2}$/),
      'X-Acme-Event-Id': 'evt_1',
      'X-Acme-Event-Type': 'run.completed',
      ...(standardWebhooks
        ? {
            'webhook-id': 'evt_1',
            'webhook-timestamp': '1795176000',
            'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/),
          }
        : {}),
    });
  });
});
