import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { vi } from 'vitest';

/** A delivery as a receiver has it: the bytes of the body, and headers in any case. */
export type Received = {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
};

type Verify = (body: Buffer, headers: Readonly<Record<string, string>>, secret: string) => unknown;

/** Packages that know nothing of this service. Each throws when it refuses a delivery; all tolerate 300 seconds. */
const verifiers: Readonly<Record<string, Verify>> = {
  standardwebhooks: (body, headers, secret) => new Webhook(secret).verify(body, headers, { jsonParse: false }),
  svix: (body, headers, secret) => new SvixWebhook(secret).verify(body, headers),
  stripe: (body, headers, secret) =>
    Stripe.webhooks.signature?.verifyHeader(
      body,
      headers['x-service-signature'] ?? '',
      secret,
      300,
      undefined,
      Date.now(),
    ),
};

export const verifierNames = Object.keys(verifiers);

/**
 * The names of the verifiers that accept a delivery, in the order of `verifierNames`.
 *
 * @param at epoch milliseconds of the verification
 */
export function acceptedBy({ headers, body }: Received, secret: string, at: number): readonly string[] {
  const named = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value ?? []].flat().join(', ')]),
  );
  // Two of them read the clock of the machine.
  const clock = vi.spyOn(Date, 'now').mockReturnValue(at);
  try {
    return verifierNames.filter((name) => accepts(verifiers[name], Buffer.from(body), named, secret));
  } finally {
    clock.mockRestore();
  }
}

/** @throws Error when the verifiers disagree */
export function isAcceptedByAll(received: Received, secret: string, at: number): boolean {
  const names = acceptedBy(received, secret, at);
  if (names.length !== 0 && names.length !== verifierNames.length)
    throw new Error(`Only ${names.join(' and ')} of ${verifierNames.join(', ')} accept this delivery`);
  return names.length > 0;
}

function accepts(
  verify: Verify | undefined,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
  secret: string,
): boolean {
  try {
    verify?.(body, headers, secret);
    return verify !== undefined;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
}
