import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DecryptSecret, EncryptSecret } from '#shared/operations/ports.ts';
import { customerId, otherWebhookId, webhookId } from '../support/values/builders.ts';

/** What seals signing secrets, and opens them again in a function that stays warm. */
export type SecretPorts = {
  readonly encryptSecret: EncryptSecret;
  readonly decryptSecret: DecryptSecret;
  close(): Promise<void>;
};

const context = { customerId, webhookId };
const secret = 'whsec_AAAA';

/** What a cipher of secrets owes those who register, rotate and sign. */
export function secretsSuite(connect: () => Promise<SecretPorts>): void {
  let ports: SecretPorts;
  beforeEach(async () => {
    ports = await connect();
  });
  afterEach(() => ports.close());

  describe('decryptSecret()', () => {
    it('decryptSecret() opens a secret for the endpoint that it was sealed for, as often as it is asked', async () => {
      const sealed = await ports.encryptSecret(secret, context);

      expect(sealed).not.toBe(secret);
      expect(await ports.decryptSecret(sealed, context)).toBe(secret);
      expect(await ports.decryptSecret(sealed, context)).toBe(secret);
    });

    it.each([
      ['another endpoint', { ...context, webhookId: otherWebhookId }],
      ['another customer', { ...context, customerId: 'cus_other' }],
    ])('decryptSecret() refuses a secret that was sealed for %s', async (_, other) => {
      const sealed = await ports.encryptSecret(secret, other);

      await expect(ports.decryptSecret(sealed, context)).rejects.toThrow();
    });

    it('decryptSecret() refuses a secret that was moved to another endpoint, although it opened it before', async () => {
      const sealed = await ports.encryptSecret(secret, context);
      await ports.decryptSecret(sealed, context);

      await expect(ports.decryptSecret(sealed, { ...context, webhookId: otherWebhookId })).rejects.toThrow();
    });

    it('decryptSecret() refuses text that was never sealed', async () => {
      await expect(ports.decryptSecret(secret, context)).rejects.toThrow();
    });
  });
}
