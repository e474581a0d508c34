import type { Command } from 'commander';
import { hashCredential } from '#shared/auth/checked-token.ts';
import { makePortalCredential } from '#shared/auth/portal-credential.ts';
import { readCustomer } from '#shared/aws/table/credentials/customers.ts';
import {
  markPortalLinkRevoked,
  readPortalLinks,
  storePortalLink,
} from '#shared/aws/table/credentials/portal-links.ts';
import { limits } from '#shared/contract/limits.ts';
import { presentPortalLink } from '#shared/contract/records/portal-link.ts';
import { createPortalLink } from '#shared/operations/operator/create-portal-link.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { wholeNumber } from '../cli/option-parsers.ts';
import { noCustomer } from '../cli/place-options.ts';
import { type Invocation, invoke, onTarget, readApiUrl } from '../cli/target.ts';
import { credentialActions } from './credential-commands.ts';

const { portalLinkMinutes, portalLinkMinutesMax } = limits;

export function addPortalLinkCommands(links: Command): void {
  onTarget(
    links
      .command('create', { isDefault: true })
      .description('Print a link that signs a customer in to the console'),
  )
    .requiredOption('--customer <id>', 'customer whose endpoints and deliveries the console shows')
    .option(
      '--minutes <number>',
      `minutes until the link ends, from 1 to ${portalLinkMinutesMax}`,
      wholeNumber(1, portalLinkMinutesMax),
      portalLinkMinutes,
    )
    .action(invoke(create));
  onTarget(links.command('list').description('List the links of a customer, newest first'))
    .requiredOption('--customer <id>', 'customer of the links')
    .action(list);
  onTarget(links.command('revoke').description('End a link before its time, from the next request on'))
    .requiredOption('--customer <id>', 'customer of the link')
    .requiredOption('--link <id>', 'id of the link, from portal-link list')
    .action(revoke);
}

const { list, revoke } = credentialActions({
  name: 'link',
  read: readPortalLinks,
  markRevoked: markPortalLinkRevoked,
  present: presentPortalLink,
  columns: {
    ID: ({ id }) => id,
    CREATED: ({ created_at }) => created_at,
    ENDS: ({ expires_at }) => expires_at,
    REVOKED: ({ revoked_at }) => revoked_at,
  },
  list: 'portal-link list',
  none: 'No links of the last day. Create one with',
  make: 'portal-link',
});

type CreateOptions = { readonly customer: string; readonly minutes: number };

async function create({ options, open, next, show }: Invocation<CreateOptions>): Promise<void> {
  const { customer, minutes } = options;
  const [{ table }, baseUrl] = await Promise.all([open(), readApiUrl(options)]);
  const created = await createPortalLink({
    now,
    randomBytes,
    makeCredential: makePortalCredential,
    hashCredential,
    readCustomer: readCustomer(table),
    storePortalLink: storePortalLink(table),
    baseUrl,
  })(customer, minutes);
  if (created === null) throw noCustomer(next, customer);
  const link = presentPortalLink(created.link);
  show({ ...link, url: created.url }, [
    `Link ${link.id}, until ${link.expires_at}, shown only once:`,
    created.url,
    'Everyone who has the link acts for the customer until then.',
    `To end it earlier: ${next(`portal-link revoke --customer ${customer} --link ${link.id}`)}`,
  ]);
}
