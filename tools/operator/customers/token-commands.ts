import type { Command } from 'commander';
import * as z from 'zod';
import { readLocalStack } from '../cli/local-stack-file.ts';
import { type Invocation, invoke, onTarget } from '../cli/target.ts';
import { UsageError } from '../cli/usage-error.ts';

type MintOptions = { readonly connection: string; readonly expired?: true; readonly audience?: string };

const stackWithIssuer = z.object({ issuer: z.object({ url: z.string() }) });
const minted = z.object({ access_token: z.string(), expires_at: z.string() });

export function addTokenCommands(tokens: Command): void {
  onTarget(tokens.command('mint').description('Mint an access token (local stack only)'))
    .requiredOption('--connection <id>', 'connection that the token names; it does not have to exist')
    .option('--expired', 'mint a token that has expired')
    .option('--audience <text>', 'audience of the token; this service by default')
    .action(invoke(mint));
}

async function mint({ options, show }: Invocation<MintOptions>): Promise<void> {
  const { connection, audience, expired, stage, stackFile } = options;
  if (stage !== undefined) {
    throw new UsageError(
      'tokens mint works on the local stack only: omit --stage, or get a token from the token issuer of the stage',
    );
  }
  const { issuer } = await readLocalStack(stackFile, stackWithIssuer);
  const response = await fetch(`${issuer.url}/tokens`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ connection_id: connection, audience, expired }),
  });
  if (!response.ok)
    throw new Error(`The local token issuer answered ${response.status}: ${await response.text()}`);
  const token = minted.parse(await response.json());
  const validity = expired === true ? 'expired since' : 'valid until';
  show(token, [`Access token for ${connection}, ${validity} ${token.expires_at}:`, token.access_token]);
}
