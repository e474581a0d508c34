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
  const made = await createConnection({
    now,
    randomBytes,
    storeConnection: storeConnection(table),
  })(options.user, organization);
  const connection = made ?? refuse('unknown_organization', { ...options, connection: '' });
  const next = nextOf(connection, options);
  const hint = next === null ? [] : [`Next: ${nextCommand(options, next)}`];
  show(print, options, present(connection), [`Connection ${connection.id}`, ...hint]);
}

/** A deployed stage gets its tokens from its own issuer. */
function nextOf({ id, organization }: Connection, { stage }: TargetOptions): string | null {
  if (organization === null) return `connections select-organization --connection ${id} --organization <id>`;
  return stage === undefined ? `tokens mint --connection ${id}` : null;
}

async function revoke(print: Output, options: OneOptions): Promise<void> {
  const { table } = await openTarget(options);
  const revoking = revokeConnection({ now, markRevoked: markRevoked(table) });
  const revoked = (await revoking(options.connection)) ?? refuse('unknown_connection', options);
  const connection = present(revoked);
  show(print, options, connection, [
    `Connection ${connection.id} has been revoked since ${connection.revoked_at}`,
  ]);
}

async function select(print: Output, options: SelectOptions): Promise<void> {
  const { table } = await openTarget(options);
  const result = await selectOrganization({
    readConnection: readConnection(table),
    storeOrganization: storeOrganization(table),
  })(options.connection, options.organization);
  const connection = present(typeof result === 'string' ? refuse(result, options) : result);
  show(print, options, connection, [`Connection ${connection.id} acts for ${connection.organization}`]);
}

async function leave(print: Output, options: OneOptions): Promise<void> {
  const { table } = await openTarget(options);
  const result = await revokeAccess({
    now,
    readConnection: readConnection(table),
    markAccessRevoked: markAccessRevoked(table),
  })(options.connection);
  const connection = present(typeof result === 'string' ? refuse(result, options) : result);
  show(print, options, connection, [
    `Connection ${connection.id} has had no access to ${connection.organization} since ${connection.access_revoked_at}`,
  ]);
}

type RefusedOptions = TargetOptions & { readonly connection: string; readonly organization?: string };

function refuse(reason: ConnectionRefusal, options: RefusedOptions): never {
  const { connection, organization = '' } = options;
  const next = (command: string) => nextCommand(options, command);
  const create = next('connections create --user <text>');
  const select = next(`connections select-organization --connection ${connection} --organization <id>`);
  const reasons: Readonly<Record<ConnectionRefusal, string>> = {
    unknown_connection: `Connection ${connection} not found. Create one with: ${create}`,
    unknown_organization: `Customer ${organization} not found. List them with: ${next('customers list')}`,
    connection_revoked: `Connection ${connection} is permanently revoked. Create another with: ${create}`,
    organization_not_selected: `Connection ${connection} has no organization yet. Select one with: ${select}`,
  };
  throw new Error(reasons[reason]);
}

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
