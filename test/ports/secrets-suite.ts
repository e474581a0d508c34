import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenSecret, SealSecret } from '#shared/operations/ports.ts';
import { customerId, otherWebhookId, webhookId } from '../support/values/builders.ts';

/** What seals signing secrets, and opens them again in a function that stays warm. */
export type SecretPorts = {
  readonly sealSecret: SealSecret;
  readonly openSecret: OpenSecret;
  close(): Promise<void>;
};

const context = { customerId, webhookId };
const secret = 'whsec_AAAA';

/** What a box of secrets owes those who register, rotate and sign. */
export function secretsSuite(connect: () => Promise<SecretPorts>): void {
  let ports: SecretPorts;
  beforeEach(async () => {
    ports = await connect();
  });
  afterEach(() => ports.close());

  describe('openSecret()', () => {
    it('opens a secret for the endpoint that it was sealed for, as often as it is asked', async () => {
      const sealed = await ports.sealSecret(secret, context);

      expect(sealed).not.toBe(secret);
      expect(await ports.openSecret(sealed, context)).toBe(secret);
      expect(await ports.openSecret(sealed, context)).toBe(secret);
    });

    it.each([
      ['another endpoint', { ...context, webhookId: otherWebhookId }],
      ['another customer', { ...context, customerId: 'cus_other' }],
    ])('refuses a secret that was sealed for %s', async (_, other) => {
      const sealed = await ports.sealSecret(secret, other);

      await expect(ports.openSecret(sealed, context)).rejects.toThrow();
    });

    it('refuses a secret that was moved to another endpoint, although it opened it before', async () => {
      const sealed = await ports.sealSecret(secret, context);
      await ports.openSecret(sealed, context);

      await expect(ports.openSecret(sealed, { ...context, webhookId: otherWebhookId })).rejects.toThrow();
    });

    it('refuses text that was never sealed', async () => {
      await expect(ports.openSecret(secret, context)).rejects.toThrow();
    });
  });
}
