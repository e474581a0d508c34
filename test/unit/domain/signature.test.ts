import { describe, expect, it } from 'vitest';
import { signatureHeader, standardHeaders } from '#shared/domain/signature.ts';
import { startOfTest } from '../../support/values/builders.ts';
import { secretNamed } from '../../support/values/secret-named.ts';
import signatures from '../../vectors/signatures.json' with { type: 'json' };

const { vectors } = signatures;
const bytesOf = (text: string) => new TextEncoder().encode(text);

// test/unit/http/three-verifiers.test.ts has what other packages accept, and for how long.
describe('signatureHeader()', () => {
  it.each(vectors)('signs $name as independent libraries do', ({ secrets, body, sent_at_ms, header }) => {
    expect(signatureHeader(secrets, bytesOf(body), sent_at_ms)).toBe(header);
  });

  it('signs the given bytes, also when they are not text', () => {
    const body = Uint8Array.of(0xff, 0x00, 0xfe);

    const header = signatureHeader(['whsec_a'], body, startOfTest);

    expect(header).not.toBe(signatureHeader(['whsec_a'], bytesOf(new TextDecoder().decode(body)), startOfTest));
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
    expect(() => standardHeaders(['whsec_swordfish'], 'evt_1', bytesOf('{}'), startOfTest)).toThrow(/^(?!.*swordfish)/);
  });
});
