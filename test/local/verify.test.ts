import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { signatureHeader } from '#shared/domain/signature.ts';
import { verifyProgram } from '../../tools/local/verify/verify-program.ts';
import { runCommand } from '../support/stack/operate.ts';
import { useFolder } from '../support/vitest/temporary-folder.ts';

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const at = Date.parse('2026-11-20T09:30:00Z');
const body = '{"id":"evt_1","type":"run.completed"}';
const own = ['-H', `X-Service-Signature: ${signatureHeader([secret], Buffer.from(body), at)}`];
const standard = [
  ...['-H', 'webhook-id: evt_1', '-H', `webhook-timestamp: ${at / 1000}`],
  ...['-H', `webhook-signature: ${new Webhook(secret).sign('evt_1', new Date(at), body)}`],
];
const folder = useFolder();

async function verify(args: readonly string[], input = body, now = at) {
  let printed = '';
  const outcome = await runCommand(
    () =>
      verifyProgram({
        print: (text) => {
          printed += text;
        },
        environment: { WEBHOOK_SECRET: secret },
        readInput: async () => Buffer.from(input),
        now: () => now,
      }),
    args,
  );
  return { ...outcome, printed };
}

const result = z.object({
  signatures: z.array(z.object({ fault: z.string().nullable() })),
  body_hint: z.string().nullable(),
});

/** The exit code, what is wrong with each signature, and with the body. */
async function reasons(args: readonly string[], input?: string, now?: number) {
  const { code, printed } = await verify([...args, '--json'], input, now);
  const { signatures, body_hint } = result.parse(JSON.parse(printed));
  return [code, ...signatures.map(({ fault }) => fault), body_hint];
}

describe('webhook-delivery verify', () => {
  it('verifies both signatures of a body from a file, and says when they were made', async () => {
    const file = join(folder(), 'body.json');
    await writeFile(file, body);

    expect(await verify([file, ...own, ...standard], '')).toMatchObject({
      code: 0,
      printed:
        'x-service-signature: verified, signed at 2026-11-20T09:30:00.000Z\n' +
        'webhook-signature: verified, signed at 2026-11-20T09:30:00.000Z\n',
    });
  });

  it.each<[string, readonly string[], string, readonly (string | null)[]]>([
    [
      'another body',
      [...own, ...standard],
      '{}',
      ['No v1 matches a secret that the receiver has', 'No v1 matches the secret', null],
    ],
    ['another secret', [...standard, '--secret', 'whsec_b3RoZXI='], body, ['No v1 matches the secret', null]],
    ['a missing header', standard.slice(2), body, ['webhook-id or webhook-timestamp is missing or malformed', null]],
    [
      'a line break at the end',
      standard,
      `${body}\n`,
      ['No v1 matches the secret', expect.stringContaining('without the line break')],
    ],
    [
      'a body that was formatted',
      own,
      JSON.stringify(JSON.parse(body), null, 2),
      [expect.any(String), expect.stringContaining('compact JSON')],
    ],
  ])('ends with 1 and the reason for %s', async (_case, args, input, expected) => {
    expect(await reasons(args, input)).toEqual([1, ...expected]);
  });

  it('says what to compare when the body shows no change, and not when something else is wrong', async () => {
    const advice = 'Compare the first 12 characters of the secret with `secret_prefix` of the endpoint';

    expect((await verify([...standard, '--secret', 'whsec_b3RoZXI='])).output).toContain(advice);
    expect((await verify(own, `${body}\n`)).output).not.toContain(advice);
    expect((await verify(own, body, at + 301_000)).output).not.toContain(advice);
  });

  it('asks for another file when it cannot read the one that is named', async () => {
    expect(await verify(['missing.json', ...own])).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^Cannot read missing\.json: name a file with the raw body/),
    });
  });

  it.each([at + 301_000, at - 301_000])('refuses another time, unless any age is accepted: %i', async (now) => {
    expect(await reasons([...own, ...standard], body, now)).toEqual([
      1,
      'The timestamp is 301 s from the arrival; at most 300 s are allowed',
      'The timestamp is 301 s from now; at most 300 s are allowed',
      null,
    ]);
    expect(await reasons([...own, ...standard, '--any-age'], body, now)).toEqual([0, null, null, null]);
  });

  it.each([
    [[], "Give the headers of the signature: -H 'X-Service-Signature: …'"],
    [['-H', 'webhook-id'], 'Expected a name, a colon and a value'],
    [[...own, '--secret', ' '], 'Give the signing secret with --secret or in WEBHOOK_SECRET'],
  ])('ends with 2 for the command line %j', async (args, reason) => {
    expect(await verify(args)).toMatchObject({ code: 2, output: expect.stringContaining(reason) });
  });
});
