import { randomBytes } from 'node:crypto';
import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { beforeEach, describe, expect, it } from 'vitest';
import { decryptAnswer, encryptAnswer } from '#shared/aws/answer-cipher.ts';
import { operatorRequestKey, requestKey } from '#shared/domain/request-key.ts';
import { commandsOf, unexpected, useMock } from '../../support/aws/aws-mocks.ts';

const keyArn = 'arn:aws:kms:us-east-1:123456789012:key/1';
const key = requestKey('cus_1', 'order-7');
const ofOperator = operatorRequestKey('cus_1', 'order-7');
const body = JSON.stringify({ secret: 'whsec_x', text: 'ü'.repeat(5_000) });

const client = new KMSClient({ region: 'us-east-1' });
const mock = useMock(client);
const seal = (of = key) => encryptAnswer(client, keyArn, randomBytes)(body, of);
const open = (sealed: string, of = key) => decryptAnswer(client, keyArn)(sealed, of);

describe('encryptAnswer(), decryptAnswer()', () => {
  // "Encrypts" the key of an answer to itself.
  beforeEach(() => {
    mock.on(EncryptCommand).callsFake(({ Plaintext }) => ({ CiphertextBlob: Plaintext }));
    mock.on(DecryptCommand).callsFake(({ CiphertextBlob }) => ({ Plaintext: CiphertextBlob }));
  });

  it.each([
    ['customer', key, { request_key: key.digest }],
    ['operator', ofOperator, { operator_request_key: ofOperator.digest }],
  ])('a %s reads back an answer of any size, under a context that names customer and key', async (_, of, name) => {
    const sealed = await seal(of);

    expect(await open(sealed, of)).toBe(body);
    const EncryptionContext = { customer_id: 'cus_1', ...name };
    expect(commandsOf(mock)).toMatchObject([
      { EncryptCommand: { KeyId: keyArn, EncryptionContext } },
      { DecryptCommand: { KeyId: keyArn, EncryptionContext } },
    ]);
  });

  it('nothing of the answer or its key can be read, and two seals of an answer differ', async () => {
    const [one, other] = [await seal(), await seal()];

    expect(one).not.toBe(other);
    expect(`${one}${key.digest}`).not.toMatch(/whsec_|order-7/);
    expect(Buffer.from(one, 'base64').toString('latin1')).not.toContain('whsec_');
  });

  it.each([
    ['changed', (sealed: string) => `${sealed.slice(0, -8)}AAAAAAA=`],
    ['cut off', (sealed: string) => sealed.slice(0, -12)],
  ])('an answer that was %s is not read', async (_change, change) => {
    const changed = change(await seal());

    await expect(open(changed)).rejects.toThrow();
  });
});

it('encryptAnswer() and decryptAnswer() throw when KMS fails, or responds without a text', async () => {
  await expect(seal()).rejects.toBe(unexpected);

  mock.on(EncryptCommand).resolves({});
  mock.on(DecryptCommand).resolves({});

  await expect(seal()).rejects.toThrow('no ciphertext');
  await expect(open('AAAA.AAAA')).rejects.toThrow('no plaintext');
});
