import { describe, expect, it } from 'vitest';
import { presentRegistration, registrationRecord } from '#shared/contract/records/registration.ts';
import {
  buildDelivery,
  buildEndpoint,
  handshakeBody,
  startOfTest,
  webhookId,
} from '../../support/values/builders.ts';

const handshake = buildDelivery({ body: handshakeBody });
const present = (status: 'active' | 'failed' | 'deleted') =>
  presentRegistration({ endpoint: buildEndpoint({ status }), secret: 'whsec_1', handshake }, startOfTest);

describe('presentRegistration()', () => {
  it('says how to recover from a failed handshake: answer without verifying, delete, register again', () => {
    const { next_step } = present('failed');

    expect(next_step).toContain('comes before you know `secret`, so answer it with 2xx without verifying it');
    expect(next_step).toContain('holds one of your 5 slots');
    expect(next_step).toContain(`\`DELETE /v1/webhooks/${webhookId}\``);
  });

  it('says how to send the test event of an active endpoint again', () => {
    expect(present('active').next_step).toContain(
      `\`POST /v1/webhooks/${webhookId}/deliveries/${handshake.id}/replay\``,
    );
  });

  it.each(['active', 'failed', 'deleted'] as const)(
    'matches the published record and never repeats the secret in next_step (%s)',
    (status) => {
      const registration = present(status);

      expect(registrationRecord.strict().parse(registration)).toEqual(registration);
      expect(registration.next_step).toMatch(/^[A-Z].*[^.]$/);
      expect(registration.next_step).not.toContain('whsec_');
    },
  );
});
