import type { Command } from 'commander';
import { hashCredential, makeApiKey, makePortalCredential } from '#shared/auth/checked-token.ts';
import type { Table } from '#shared/aws/clients.ts';
import { markApiKeyRevoked, readApiKeys } from '#shared/aws/table/credentials/customers.ts';
import { markPortalLinkRevoked, readPortalLinks } from '#shared/aws/table/credentials/portal-links.ts';
import { limits } from '#shared/contract/limits.ts';
import { presentApiKey } from '#shared/contract/records/customer.ts';
import { isConsolePath, presentPortalLink } from '#shared/contract/records/portal-link.ts';
import { createPortalLink } from '#shared/operations/operator/create-portal-link.ts';
import { issueApiKey } from '#shared/operations/operator/issue-api-key.ts';
import { listCredentials } from '#shared/operations/operator/list-credentials.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { aboutOne } from '../cli/about-one.ts';
import { type AskOptions, confirm, yesOption } from '../cli/ask.ts';
import { ofForm, wholeNumber } from '../cli/option-parsers.ts';
import { noCustomer } from '../cli/place-options.ts';
import { type Invocation, invoke, onTarget, readApiUrl } from '../cli/target.ts';
import { type Columns, recordTable } from '../cli/text-table.ts';

export function addKeyCommands(keys: Command): void {
  for (const [name, hidden] of [['create', false] as const, ['issue', true] as const]) {
    onTarget(keys.command(name, { hidden }), 'Create an API key, which is shown only once')
      .requiredOption('--customer <id>', 'customer the key acts for')
      .action(invoke(issue));
  }
  addListAndRevoke(keys, {
    name: 'key',
    list: ['List all keys of a customer, newest first', 'customer the keys act for'],
    revoke: ['Revoke a key permanently, from the next request on', 'customer the key acts for'],
    read: readApiKeys,
    markRevoked: markApiKeyRevoked,
    present: presentApiKey,
    columns: { ID: 'id', KEY: ({ prefix }) => `${prefix}…`, CREATED: 'created_at', REVOKED: 'revoked_at' },
    none: 'No keys yet. Create one with',
  });
}

async function issue({ options, open, next, show }: Invocation<{ readonly customer: string }>) {
  const { table } = await open();
  const issued = await issueKey(table)(options.customer);
  if (issued === null) throw noCustomer(next, options.customer);
  const { revoked_at: _, ...key } = presentApiKey(issued.stored);
  show({ ...key, api_key: issued.key }, [`Key ${key.id}, shown only once:`, issued.key]);
}

/** Issues an API key of a customer in a table. */
export function issueKey(table: Table): ReturnType<typeof issueApiKey> {
  const makers = { now, randomBytes, makeKey: makeApiKey, hashKey: hashCredential };
  return issueApiKey({ ...makers, table });
}

export function addPortalLinkCommands(links: Command): void {
  const create = links.command('create', { isDefault: true });
  onTarget(create, 'Print a link that signs a customer in to the console')
    .requiredOption('--customer <id>', 'customer whose endpoints and deliveries the console shows')
    .option(
      '--minutes <number>',
      `minutes until the link ends, from 1 to ${limits.portalLinkMinutesMax}`,
      wholeNumber(1, limits.portalLinkMinutesMax),
      limits.portalLinkMinutes,
    )
    .option('--read-only', 'let the link read, but change nothing', false)
    .option(
      '--to <path>',
      'the page of the console that it opens, such as /endpoints/whe_…',
      ofForm(isConsolePath, 'Give what follows # in the address of a page of the console'),
    )
    .action(invoke(createLink));
  addListAndRevoke(links, {
    name: 'link',
    list: ['List the links of a customer, newest first', 'customer of the links'],
    revoke: ['End a link before its time, from the next request on', 'customer of the link'],
    read: readPortalLinks,
    markRevoked: markPortalLinkRevoked,
    present: presentPortalLink,
    columns: {
      ID: 'id',
      MAY: ({ read_only }) => (read_only ? 'read' : 'change'),
      CREATED: 'created_at',
      ENDS: 'expires_at',
      REVOKED: 'revoked_at',
    },
    none: 'No links of the last day. Create one with',
  });
}

type CreateOptions = {
  readonly customer: string;
  readonly minutes: number;
  readonly readOnly: boolean;
  readonly to?: string;
};

async function createLink({ options, open, next, show }: Invocation<CreateOptions>): Promise<void> {
  const { customer, minutes, readOnly, to } = options;
  const [{ table }, baseUrl] = await Promise.all([open(), readApiUrl(options)]);
  const created = await createPortalLink({
    table,
    now,
    randomBytes,
    makeCredential: makePortalCredential,
    hashCredential,
    baseUrl,
  })(customer, { minutes, readOnly, to });
  if (created === null) throw noCustomer(next, customer);
  const link = presentPortalLink(created.link);
  show({ ...link, url: created.url }, [
    `Link ${link.id}, until ${link.expires_at}, shown only once:`,
    created.url,
    `Everyone who has the link ${readOnly ? 'reads what the customer can read' : 'acts for the customer'} until then.`,
    `To end it earlier: ${next(`portal-link revoke ${link.id} --customer ${customer}`)}`,
  ]);
}

/** A kind of credential of which a customer can have several. */
type Kind<Stored, Shown> = {
  readonly name: 'key' | 'link';
  /** Texts of the commands, and of their option `--customer`. */
  readonly list: readonly [string, string];
  readonly revoke: readonly [string, string];
  readonly read: (table: Table, customerId: string) => Promise<readonly Stored[]>;
  readonly markRevoked: (table: Table, customerId: string, id: string, at: number) => Promise<Stored | null>;
  readonly present: (stored: Stored) => Shown;
  readonly columns: Columns<Shown>;
  /** The words before the command that creates one, where there is none. */
  readonly none: string;
};

type Chosen = AskOptions & { readonly customer: string };

/** The commands that list and revoke the credentials of a customer. @param group the commands of the kind */
function addListAndRevoke<Stored, Shown extends { id: string; revoked_at: string | null }>(
  group: Command,
  kind: Kind<Stored, Shown>,
): void {
  const list = async ({ options: { customer }, open, next, show }: Invocation<Chosen>): Promise<void> => {
    const { table } = await open();
    const found = await listCredentials(table, customer, kind.read);
    if (found === null) throw noCustomer(next, customer);
    const shown = found.map(kind.present);
    const none = `${kind.none}: ${next(`${group.name()} create --customer ${customer}`)}`;
    show(shown, shown.length === 0 ? [none] : recordTable(shown, kind.columns));
  };
  const revoke = async ({ options, open, next, show }: Invocation<Chosen>, id: string): Promise<void> => {
    const { customer } = options;
    await confirm(options, `Revoke ${kind.name} ${id} of customer ${customer} for good?`);
    const { table } = await open();
    const revoked = await kind.markRevoked(table, customer, id, now());
    if (revoked === null) {
      const listing = next(`${group.name()} list --customer ${customer}`);
      throw new Error(`Customer ${customer} has no ${kind.name} ${id}. List them with: ${listing}`);
    }
    const shown = kind.present(revoked);
    const title = `${kind.name.charAt(0).toUpperCase()}${kind.name.slice(1)}`;
    show(shown, [`${title} ${shown.id} has been revoked since ${shown.revoked_at}`]);
  };
  onTarget(group.command('list'), kind.list[0]).requiredOption('--customer <id>', kind.list[1]).action(invoke(list));
  const revoking = onTarget(group.command('revoke'), kind.revoke[0]);
  aboutOne(revoking, `id of the ${kind.name}, from ${group.name()} list`, kind.name)
    .requiredOption('--customer <id>', kind.revoke[1])
    .addOption(yesOption())
    .action(invoke(revoke));
}
