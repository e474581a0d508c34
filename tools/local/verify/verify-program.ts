import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Command, InvalidArgumentError, Option } from 'commander';
import { coloured } from '../../operator/cli/colour.ts';
import { type Output, type OutputOptions, outputTo, show, typedName } from '../../operator/cli/output.ts';
import { UsageError } from '../../operator/cli/usage-error.ts';
import { changedBody, type Verdict, verifyRequest } from './verify-request.ts';

type Flags = OutputOptions & {
  readonly header: IncomingHttpHeaders;
  readonly secret?: string;
  readonly anyAge?: true;
};

export type VerifyDeps = {
  readonly print: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readInput: () => Promise<Uint8Array>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** What the program has of this process. */
export const verifyDeps = (print: Output): VerifyDeps => ({
  print,
  environment: process.env,
  readInput: () => buffer(process.stdin),
  now: Date.now,
});

/** `webhook-delivery verify`: says why the signature of a stored request does not verify. Exit code 1 when it does not. */
export function verifyProgram(deps: VerifyDeps): Command {
  return new Command('verify')
    .description('Verify the signatures of one delivery: its body from a file or standard input, and its headers.')
    .configureOutput(outputTo(deps.print))
    .argument('[file]', 'the raw body as it arrived (default: standard input)')
    .addOption(
      new Option('-H, --header <line>', "a header of the delivery, such as 'webhook-id: evt_…'; once for each")
        .argParser(addHeader)
        .default({}, 'none'),
    )
    .option('--secret <secret>', 'signing secret (default: WEBHOOK_SECRET)')
    .option('--any-age', 'accept a timestamp that is more than 5 minutes from now')
    .addOption(new Option('--json', 'print the result as JSON'))
    .addHelpText(
      'after',
      ({ command }) => `
Give X-…-Signature, or webhook-id, webhook-timestamp and webhook-signature, or all of them.

Example:
  ${typedName(command)} body.json -H 'X-Service-Signature: t=…,v1=…' --secret whsec_…`,
    )
    .action((file: string | undefined, flags: Flags) => verify(deps, file, flags));
}

const comparison =
  '. Compare the first 12 characters of the secret with `secret_prefix` of the endpoint, ' +
  'and the number of bytes with the header Content-Length';

async function verify(deps: VerifyDeps, file: string | undefined, flags: Flags): Promise<void> {
  const secret = (flags.secret ?? deps.environment.WEBHOOK_SECRET ?? '').trim();
  if (secret === '') throw new UsageError('Give the signing secret with --secret or in WEBHOOK_SECRET');
  if (!Object.keys(flags.header).some((name) => /^(x-.*|webhook)-signature$/.test(name))) {
    throw new UsageError("Give the headers of the signature: -H 'X-Service-Signature: …' or -H 'webhook-signature: …'");
  }
  const body = file === undefined ? await deps.readInput() : await readBody(file);
  const request = { headers: flags.header, body };
  const verdicts = verifyRequest(request, secret, flags.anyAge === true ? null : deps.now());
  const verified = verdicts.every(({ fault }) => fault === null);
  const hint = verified ? null : changedBody(request, secret);
  show(deps.print, flags, { verified, signatures: verdicts.map(members), body_hint: hint }, [
    ...verdicts.map(line),
    ...(hint === null ? [] : [`The body was changed. ${hint}`]),
  ]);
  const isMismatch = hint === null && verdicts.some(({ fault }) => fault?.startsWith('No v1'));
  if (!verified) throw new Error(`Not verified: ${body.length} bytes of body${isMismatch ? comparison : ''}`);
}

function readBody(file: string): Promise<Uint8Array> {
  return readFile(file).catch((cause: unknown) => {
    throw new UsageError(`Cannot read ${file}: name a file with the raw body, or leave it out to read standard input`, {
      cause,
    });
  });
}

function line({ header, signedAt, fault }: Verdict): string {
  const when = signedAt === null ? '' : `, signed at ${new Date(signedAt).toISOString()}`;
  return `${header}: ${fault === null ? coloured('verified') : `${coloured('not verified')} (${fault})`}${when}`;
}

function members({ header, signedAt, fault }: Verdict): object {
  return { header, signed_at: signedAt === null ? null : new Date(signedAt).toISOString(), fault };
}

function addHeader(text: string, earlier: IncomingHttpHeaders): IncomingHttpHeaders {
  const [, name, value] = /^\s*([\w-]+)\s*:\s*(.*?)\s*$/.exec(text) ?? [];
  if (name === undefined)
    throw new InvalidArgumentError("Expected a name, a colon and a value, such as 'webhook-id: evt_…'");
  return { ...earlier, [name.toLowerCase()]: value };
}
