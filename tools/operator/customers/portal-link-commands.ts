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
import { listPortalLinks } from '#shared/operations/operator/list-portal-links.ts';
import { revokePortalLink } from '#shared/operations/operator/revoke-portal-link.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { wholeNumber } from '../cli/option-parsers.ts';
import { type Output, type OutputOptions, show } from '../cli/output.ts';
import { noCustomer } from '../cli/place-options.ts';
import { nextCommand, onTarget, openTarget, readApiUrl, type TargetOptions } from '../cli/target.ts';
import { recordTable } from '../cli/text-table.ts';

type Options = TargetOptions & OutputOptions & { readonly customer: string };

export function addPortalLinkCommands(links: Command, print: Output): void {
  onTarget(
    links
      .command('create', { isDefault: true })
      .description('Print a link that signs a customer in to the console'),
  )
    .requiredOption('--customer <id>', 'customer whose endpoints and deliveries the console shows')
    .option(
      '--minutes <number>',
      `minutes until the link ends, from 1 to ${limits.portalLinkMinutesMax}`,
      wholeNumber(1, limits.portalLinkMinutesMax),
      limits.portalLinkMinutes,
    )
    .action((options: Options & { readonly minutes: number }) => create(print, options));
  onTarget(links.command('list').description('List the links of a customer, newest first'))
    .requiredOption('--customer <id>', 'customer of the links')
    .action((options: Options) => list(print, options));
  onTarget(links.command('revoke').description('End a link before its time, from the next request on'))
    .requiredOption('--customer <id>', 'customer of the link')
    .requiredOption('--link <id>', 'id of the link, from portal-link list')
    .action((options: Options & { readonly link: string }) => revoke(print, options));
}

async function create(print: Output, options: Options & { readonly minutes: number }): Promise<void> {
  const [{ table }, baseUrl] = await Promise.all([openTarget(options), readApiUrl(options)]);
  const created = await createPortalLink({
    now,
    randomBytes,
    makeCredential: makePortalCredential,
    hashCredential,
    readCustomer: readCustomer(table),
    storePortalLink: storePortalLink(table),
    baseUrl,
  })(options.customer, options.minutes);
  if (created === null) throw noCustomer(options, options.customer);
  const link = presentPortalLink(created.link);
  const end = nextCommand(options, `portal-link revoke --customer ${options.customer} --link ${link.id}`);
  show(print, options, { ...link, url: created.url }, [
    `Link ${link.id}, until ${link.expires_at}, shown only once:`,
    created.url,
    'Everyone who has the link acts for the customer until then.',
    `To end it earlier: ${end}`,
  ]);
}

async function list(print: Output, options: Options): Promise<void> {
  const { table } = await openTarget(options);
  const ports = { readCustomer: readCustomer(table), readPortalLinks: readPortalLinks(table) };
  const found = await listPortalLinks(ports)(options.customer);
  if (found === null) throw noCustomer(options, options.customer);
  const links = found.map(presentPortalLink);
  const next = nextCommand(options, `portal-link --customer ${options.customer}`);
  const lines =
    links.length === 0
      ? [`No links of the last day. Create one with: ${next}`]
      : recordTable(links, {
          ID: ({ id }) => id,
          CREATED: ({ created_at }) => created_at,
          ENDS: ({ expires_at }) => expires_at,
          REVOKED: ({ revoked_at }) => revoked_at,
        });
  show(print, options, links, lines);
}

async function revoke(print: Output, options: Options & { readonly link: string }): Promise<void> {
  const { table } = await openTarget(options);
  const stored = await revokePortalLink({ now, markRevoked: markPortalLinkRevoked(table) })(
    options.customer,
    options.link,
  );
  if (stored === null) {
    const next = nextCommand(options, `portal-link list --customer ${options.customer}`);
    throw new Error(`Customer ${options.customer} has no link ${options.link}. List them with: ${next}`);
  }
  const link = presentPortalLink(stored);
  show(print, options, link, [`Link ${link.id} has been revoked since ${link.revoked_at}`]);
}
