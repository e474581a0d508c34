import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { presentRegistration, registrationRecord } from '#shared/contract/records/registration.ts';
import { buildDelivery, buildEndpoint, handshakeBody, startOfTest, webhookId } from '../../support/values/builders.ts';

const handshake = buildDelivery({ body: handshakeBody });
const recovery = [
  'comes before you know `secret`, so answer it with 2xx without verifying it',
  'holds one of your 5 slots',
  `\`DELETE /v1/webhooks/${webhookId}\``,
];

describe('presentRegistration()', () => {
  it.each([
    [
      'an active endpoint: store the secret, and ask for an example event',
      'active',
      ['Store `secret`', `\`POST /v1/webhooks/${webhookId}/examples\``, 'a firewall'],
    ],
    ['a failed one: answer without verifying, delete, register again', 'failed', recovery],
    ['a deleted one', 'deleted', []],
  ] as const)('matches the published record, and says what comes next for %s', (_, status, parts) => {
    const endpoint = buildEndpoint({ status });

    const record = presentRegistration({ endpoint, secret: 'whsec_1', handshake }, startOfTest);

    expect(z.strictObject(registrationRecord.shape).parse(record)).toEqual(record);
    for (const part of parts) expect(record.next_step).toContain(part);
    expect(record.next_step).toMatch(/^[A-Z].*[^.]$/);
    expect(record.next_step).not.toContain('whsec_');
  });
});
