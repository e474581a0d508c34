import { describe, expect, it } from 'vitest';
import { readReceiver } from '#shared/operations/delivery/receiver.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { buildEndpoint, customerId, startOfTest, webhookId } from '../../../support/values/builders.ts';

const rotated = buildEndpoint({
  secret: 'new',
  previousSecret: 'old',
  previousSecretExpiresAt: startOfTest + 1,
});

describe('readReceiver()', () => {
  it('decrypts the valid secrets under the context of their endpoint, the current one first', async () => {
    const contexts: unknown[] = [];
    const secretsAt = async (now: number) => {
      const deps = {
        now: () => now,
        monotonic: () => now,
        readLiveEndpoint: async () => rotated,
        decryptSecret: async (sealed: string, context: unknown) => {
          contexts.push(context);
          return `open ${sealed}`;
        },
        report: unexpected('report'),
      };
      return (await readReceiver(deps, customerId, webhookId))?.secrets;
    };

    expect(await secretsAt(startOfTest)).toEqual(['open new', 'open old']);
    expect(await secretsAt(startOfTest + 1)).toEqual(['open new']);
    expect(contexts).toEqual([1, 2, 3].map(() => ({ customerId, webhookId })));
  });
});
