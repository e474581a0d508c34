import type { Command } from 'commander';
import * as z from 'zod';
import { markRevoked } from '#shared/aws/table/credentials/connections.ts';
import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import type { Connection } from '#shared/domain/connection.ts';
import {
  type ConnectionRefusal,
  createConnection,
  revokeAccess,
  selectOrganization,
} from '#shared/operations/operator/connections.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { aboutOne } from '../cli/about-one.ts';
import { type AskOptions, confirm, yesOption } from '../cli/ask.ts';
import { readLocalStack } from '../cli/local-stack-file.ts';
import { noCustomer } from '../cli/place-options.ts';
import { type Invocation, invoke, onTarget } from '../cli/target.ts';
import { when } from '../cli/text-table.ts';
import { UsageError } from '../cli/usage-error.ts';

type Create = Invocation<{ readonly user: string; readonly organization?: string }>;
type Select = Invocation<{ readonly organization: string }>;

export function addConnectionCommands(connections: Command): void {
  const ofConnection = (name: string, description: string) =>
    aboutOne(onTarget(connections.command(name), description), 'id of the connection', 'connection');
  onTarget(connections.command('create'), 'Create a connection of a user')
    .requiredOption('--user <text>', 'id of the user at the token issuer')
    .option('--organization <id>', 'customer that its tokens act for; can be selected later')
    .action(invoke(create));
  ofConnection('revoke', 'Revoke a connection permanently: the user withdrew consent')
    .addOption(yesOption())
    .action(invoke(revoke));
  ofConnection('select-organization', 'Let the tokens of a connection act for a customer')
    .requiredOption('--organization <id>', 'customer that its tokens act for')
    .action(invoke(select));
  ofConnection('revoke-access', 'Revoke access to the organization: the user left it').action(invoke(leave));
}

async function create(invocation: Create): Promise<void> {
  const { options, open, next } = invocation;
  const { table } = await open();
  const creating = createConnection({ now, randomBytes, table });
  const created = await creating(options.user, options.organization ?? null);
  showConnection(invocation, created ?? 'unknown_organization', options, ({ id, organization }) => {
    const command = organization === null ? selecting(id) : `tokens create --connection ${id}`;
    // A deployed stage gets its tokens from its own issuer.
    const isKnown = organization === null || options.stage === undefined;
    return [`Connection ${id}`, ...when(isKnown, `Next: ${next(command)}`)];
  });
}

const selecting = (id = '') => `connections select-organization ${id} --organization <id>`;

async function revoke(invocation: Invocation<AskOptions>, id: string): Promise<void> {
  await confirm(invocation.options, `Revoke connection ${id} for good?`);
  const { table } = await invocation.open();
  const revoked = await markRevoked(table, id, now());
  showConnection(invocation, revoked ?? 'unknown_connection', { connection: id }, ({ revoked_at }) => [
    `Connection ${id} has been revoked since ${revoked_at}`,
  ]);
}

async function select(invocation: Select, connection: string): Promise<void> {
  const { organization } = invocation.options;
  const { table } = await invocation.open();
  const selected = await selectOrganization(table, connection, organization);
  showConnection(invocation, selected, { connection, organization }, (shown) => [
    `Connection ${shown.id} acts for ${shown.organization}`,
  ]);
}

async function leave(invocation: Invocation, connection: string): Promise<void> {
  const { table } = await invocation.open();
  const left = await revokeAccess(table, connection, now());
  showConnection(invocation, left, { connection }, ({ id, organization, access_revoked_at }) => [
    `Connection ${id} has had no access to ${organization} since ${access_revoked_at}`,
  ]);
}

/** What a command was given. */
type Named = { readonly connection?: string; readonly organization?: string };

/** @throws Error with the next step for a refusal */
function showConnection(
  { next, show }: Pick<Invocation, 'next' | 'show'>,
  result: Connection | ConnectionRefusal,
  named: Named,
  describe: (connection: Shown) => readonly string[],
): void {
  if (typeof result === 'string') throw new Error(refusals[result](named, next));
  const connection = present(result);
  show(connection, describe(connection));
}

const refusals: Readonly<Record<ConnectionRefusal, (named: Named, next: Invocation['next']) => string>> = {
  unknown_connection: ({ connection }, next) =>
    `Connection ${connection} not found. Create one with: ${next('connections create --user <text>')}`,
  unknown_organization: ({ organization = '' }, next) => noCustomer(next, organization).message,
  connection_revoked: ({ connection }, next) =>
    `Connection ${connection} is permanently revoked. Create another with: ${next('connections create --user <text>')}`,
  organization_not_selected: ({ connection }, next) =>
    `Connection ${connection} has no organization yet. Select one with: ${next(selecting(connection))}`,
};

type Shown = ReturnType<typeof present>;

function present(connection: Connection) {
  return {
    id: connection.id,
    user: connection.user,
    organization: connection.organization,
    created_at: timestamp(connection.createdAt),
    revoked_at: timestampOrNull(connection.revokedAt),
    access_revoked_at: timestampOrNull(connection.accessRevokedAt),
  };
}

type MintOptions = { readonly connection: string; readonly expired?: true; readonly audience?: string };

const stackWithIssuer = z.object({ issuer: z.object({ url: z.string() }) });
const minted = z.object({ access_token: z.string(), expires_at: z.string() });

export function addTokenCommands(tokens: Command): void {
  for (const [name, hidden] of [['create', false] as const, ['mint', true] as const]) {
    onTarget(tokens.command(name, { hidden }), 'Create an access token (local stack only)')
      .requiredOption('--connection <id>', 'connection that the token names; it does not have to exist')
      .option('--expired', 'create a token that has expired')
      .option('--audience <text>', 'audience of the token; this service by default')
      .action(invoke(mint));
  }
}

async function mint({ options, show }: Invocation<MintOptions>): Promise<void> {
  const { connection, audience, expired, stage, stackFile } = options;
  if (stage !== undefined) {
    throw new UsageError(
      'tokens create works on the local stack only: omit --stage, or get a token from the token issuer of the stage',
    );
  }
  const { issuer } = await readLocalStack(stackFile, stackWithIssuer);
  const response = await fetch(`${issuer.url}/tokens`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ connection_id: connection, audience, expired }),
  });
  if (!response.ok) throw new Error(`The local token issuer answered ${response.status}: ${await response.text()}`);
  const token = minted.parse(await response.json());
  const validity = expired === true ? 'expired since' : 'valid until';
  show(token, [`Access token for ${connection}, ${validity} ${token.expires_at}:`, token.access_token]);
}
