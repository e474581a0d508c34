import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { signatureHeader, standardHeaders } from '#shared/domain/signature.ts';
import { makeSigningSecret } from '#shared/domain/signing-secret.ts';
import { startOfTest } from '../../support/values/builders.ts';
import { secretNamed } from '../../support/values/secret-named.ts';
import { acceptedBy, verifierNames } from '../../support/values/verifiers.ts';
import signatures from '../../vectors/signatures.json' with { type: 'json' };

const { vectors } = signatures;
const eventBody = '{"id":"evt_1","type":"webhook.test"}';
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Whether the verifier accepts a delivery that arrives this long after it was signed. */
function isAccepted(header: string, body: string, secret: string, receivedAt: number): boolean {
  try {
    return Stripe.webhooks.signature?.verifyHeader(body, header, secret, 300, undefined, receivedAt) ?? false;
  } catch {
    return false;
  }
}

describe('signatureHeader()', () => {
  it.each(vectors)('signs $name as independent libraries do', ({ secrets, body, sent_at_ms, header }) => {
    expect(signatureHeader(secrets, bytesOf(body), sent_at_ms)).toBe(header);
  });

  it.each([
    { after: 0, accepted: true },
    { after: 300_000, accepted: true },
    { after: 300_999, accepted: true },
    { after: 301_000, accepted: false },
  ])('returns a header that is accepted $after ms later: $accepted', ({ after, accepted }) => {
    const wholeSecond = startOfTest - 500;

    const header = signatureHeader(['whsec_a'], bytesOf(eventBody), wholeSecond);

    expect(isAccepted(header, eventBody, 'whsec_a', wholeSecond + after)).toBe(accepted);
  });

  it('signs the given bytes, also when they are not text', () => {
    const body = Uint8Array.of(0xff, 0x00, 0xfe);

    const header = signatureHeader(['whsec_a'], body, startOfTest);

    expect(header).not.toBe(
      signatureHeader(['whsec_a'], bytesOf(new TextDecoder().decode(body)), startOfTest),
    );
  });

  it('refuses to sign without a secret', () => {
    expect(() => signatureHeader([], bytesOf('{}'), startOfTest)).toThrow(RangeError);
  });
});

describe('standardHeaders()', () => {
  const ours = vectors.filter((vector) => vector.standard !== null);

  it.each(ours)('signs $name as independent libraries do', ({ secrets, body, sent_at_ms, standard }) => {
    const id = standard?.['webhook-id'] ?? '';

    expect(standardHeaders(secrets, id, bytesOf(body), sent_at_ms)).toEqual(standard);
  });

  it.each([
    ['no secret', []],
    ['a secret without the tag', [Buffer.alloc(32, 1).toString('base64')]],
    ['a secret with another tag', [`wxsec_${Buffer.alloc(32, 1).toString('base64')}`]],
    ['a secret that is not base64', ['plain text secret']],
    ['base64 without its padding', [secretNamed('a').slice(0, -1)]],
    ['base64 for URLs', [secretNamed('a').replace('aa', '-_')]],
    ['base64 with a line break', [`${secretNamed('a')}\n`]],
    ['a key of no bytes', ['whsec_']],
    ['a key of 23 bytes', [`whsec_${Buffer.alloc(23, 1).toString('base64')}`]],
    ['a key of 65 bytes', [`whsec_${Buffer.alloc(65, 1).toString('base64')}`]],
    ['a wrong secret after a right one', [secretNamed('a'), 'whsec_a']],
  ])('refuses to sign with %s', (_case, secrets) => {
    expect(() => standardHeaders(secrets, 'evt_1', bytesOf('{}'), startOfTest)).toThrow(RangeError);
  });

  it('names no part of a secret that it refuses', () => {
    expect(() => standardHeaders(['whsec_swordfish'], 'evt_1', bytesOf('{}'), startOfTest)).toThrow(
      /^(?!.*swordfish)/,
    );
  });

  it('uses every bit of the secret, and the same second as the other format', () => {
    const secret = makeSigningSecret(Uint8Array.from({ length: 32 }, (_, index) => 255 - index));
    const body = bytesOf(eventBody);

    const headers = {
      ...standardHeaders([secret], 'evt_1', body, startOfTest),
      'x-service-signature': signatureHeader([secret], body, startOfTest),
    };

    expect(acceptedBy({ headers, body }, secret, startOfTest)).toEqual(verifierNames);
    expect(headers['x-service-signature']).toContain(`t=${headers['webhook-timestamp']},`);
  });
});
