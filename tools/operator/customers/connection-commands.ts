import type { Command } from 'commander';
import {
  markAccessRevoked,
  markRevoked,
  readConnection,
  storeConnection,
  storeOrganization,
} from '#shared/aws/table/credentials/connections.ts';
import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import type { Connection } from '#shared/domain/connection.ts';
import { createConnection } from '#shared/operations/operator/create-connection.ts';
import { revokeAccess } from '#shared/operations/operator/revoke-access.ts';
import { revokeConnection } from '#shared/operations/operator/revoke-connection.ts';
import {
  type ConnectionRefusal,
  selectOrganization,
} from '#shared/operations/operator/select-organization.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { type Output, type OutputOptions, show } from '../cli/output.ts';
import { nextCommand, onTarget, openTarget, type TargetOptions } from '../cli/target.ts';

type Options = TargetOptions & OutputOptions;
type OneOptions = Options & { readonly connection: string };
type CreateOptions = Options & { readonly user: string; readonly organization?: string };
type SelectOptions = OneOptions & { readonly organization: string };

export function addConnectionCommands(connections: Command, print: Output): void {
  onTarget(connections.command('create').description('Create a connection of a user'))
    .requiredOption('--user <text>', 'id of the user at the token issuer')
    .option('--organization <id>', 'customer that its tokens act for; can be selected later')
    .action((options: CreateOptions) => create(print, options));
  ofConnection(
    connections.command('revoke').description('Revoke a connection permanently: the user withdrew consent'),
  ).action((options: OneOptions) => revoke(print, options));
  ofConnection(
    connections
      .command('select-organization')
      .description('Let the tokens of a connection act for a customer'),
  )
    .requiredOption('--organization <id>', 'customer that its tokens act for')
    .action((options: SelectOptions) => select(print, options));
  ofConnection(
    connections.command('revoke-access').description('Revoke access to the organization: the user left it'),
  ).action((options: OneOptions) => leave(print, options));
}

function ofConnection(command: Command): Command {
  return onTarget(command).requiredOption('--connection <id>', 'id of the connection');
}

async function create(print: Output, options: CreateOptions): Promise<void> {
  const organization = options.organization ?? null;
  const { table } = await openTarget(options);
  const ports = { now, randomBytes, storeConnection: storeConnection(table) };
  const connection = await createConnection(ports)(options.user, organization);
  showConnection(print, options, connection ?? 'unknown_organization', (made) => {
    const next = nextOf(made, options);
    return [`Connection ${made.id}`, ...(next === null ? [] : [`Next: ${nextCommand(options, next)}`])];
  });
}

/** A deployed stage gets its tokens from its own issuer. */
function nextOf({ id, organization }: Shown, { stage }: TargetOptions): string | null {
  if (organization === null) return `connections select-organization --connection ${id} --organization <id>`;
  return stage === undefined ? `tokens mint --connection ${id}` : null;
}

async function revoke(print: Output, options: OneOptions): Promise<void> {
  const { table } = await openTarget(options);
  const revoking = revokeConnection({ now, markRevoked: markRevoked(table) });
  const revoked = (await revoking(options.connection)) ?? 'unknown_connection';
  showConnection(print, options, revoked, ({ id, revoked_at }) => [
    `Connection ${id} has been revoked since ${revoked_at}`,
  ]);
}

async function select(print: Output, options: SelectOptions): Promise<void> {
  const { table } = await openTarget(options);
  const ports = { readConnection: readConnection(table), storeOrganization: storeOrganization(table) };
  const selected = await selectOrganization(ports)(options.connection, options.organization);
  showConnection(print, options, selected, ({ id, organization }) => [
    `Connection ${id} acts for ${organization}`,
  ]);
}

async function leave(print: Output, options: OneOptions): Promise<void> {
  const { table } = await openTarget(options);
  const ports = { now, readConnection: readConnection(table), markAccessRevoked: markAccessRevoked(table) };
  const left = await revokeAccess(ports)(options.connection);
  showConnection(print, options, left, ({ id, organization, access_revoked_at }) => [
    `Connection ${id} has had no access to ${organization} since ${access_revoked_at}`,
  ]);
}

type RefusedOptions = Options & { readonly connection?: string; readonly organization?: string };

/** @throws Error with the next step for a refusal */
function showConnection(
  print: Output,
  options: RefusedOptions,
  result: Connection | ConnectionRefusal,
  describe: (connection: Shown) => readonly string[],
): void {
  if (typeof result === 'string') throw refusal(result, options);
  const connection = present(result);
  show(print, options, connection, describe(connection));
}

function refusal(reason: ConnectionRefusal, options: RefusedOptions): Error {
  const { connection = '', organization = '' } = options;
  const next = (command: string) => nextCommand(options, command);
  const create = next('connections create --user <text>');
  const select = next(`connections select-organization --connection ${connection} --organization <id>`);
  const reasons: Readonly<Record<ConnectionRefusal, string>> = {
    unknown_connection: `Connection ${connection} not found. Create one with: ${create}`,
    unknown_organization: `Customer ${organization} not found. List them with: ${next('customers list')}`,
    connection_revoked: `Connection ${connection} is permanently revoked. Create another with: ${create}`,
    organization_not_selected: `Connection ${connection} has no organization yet. Select one with: ${select}`,
  };
  return new Error(reasons[reason]);
}

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
