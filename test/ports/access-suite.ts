import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import type { Connection } from '#shared/domain/connection.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { PortalLink } from '#shared/domain/portal-link.ts';
import type { TablePorts } from '../support/table/table-ports.ts';
import { buildConnection, buildPortalLink, startOfTest } from '../support/values/builders.ts';

/** What the table owes portal links and connections. */
export function accessSuite(connect: () => TablePorts | Promise<TablePorts>): void {
  let ports: TablePorts;
  let link: PortalLink;
  let connection: Connection;
  beforeEach(async () => {
    ports = await connect();
    // The tests share a table.
    const customerId = makeId('customer', startOfTest, randomBytes(10));
    const id = makeId('portalLink', startOfTest, randomBytes(10));
    link = buildPortalLink({ id, customerId, hash: randomBytes(32).toString('hex'), readOnly: true });
    connection = buildConnection({
      id: makeId('connection', startOfTest, randomBytes(10)),
      organization: customerId,
    });
  });

  it('a link is found by its hash, and shows the first time at which it was revoked', async () => {
    await ports.storePortalLink(link);
    expect(await ports.findPortalLink(link.hash)).toEqual(link);

    const revoked = { ...link, revokedAt: startOfTest + 1 };
    expect(await ports.markPortalLinkRevoked(link.customerId, link.id, startOfTest + 1)).toEqual(revoked);
    expect(await ports.markPortalLinkRevoked(link.customerId, link.id, startOfTest + 2)).toEqual(revoked);
    expect(await ports.findPortalLink(link.hash)).toEqual(revoked);
  });

  it('an unknown link, or one of another customer, is not found and not revoked', async () => {
    await ports.storePortalLink(link);

    expect(await ports.findPortalLink('unknown')).toBeNull();
    expect(await ports.markPortalLinkRevoked('cus_other', link.id, startOfTest)).toBeNull();
    expect(await ports.findPortalLink(link.hash)).toEqual(link);
  });

  it('a connection of a customer is stored, and shows the first time at which it was revoked', async () => {
    await ports.addCustomer(connection.organization ?? '');
    expect(await ports.storeConnection(connection)).toBe(true);
    expect(await ports.readConnection(connection.id)).toEqual(connection);

    const revoked = { ...connection, revokedAt: startOfTest + 1 };
    expect(await ports.markConnectionRevoked(connection.id, startOfTest + 1)).toEqual(revoked);
    expect(await ports.markConnectionRevoked(connection.id, startOfTest + 2)).toEqual(revoked);
    expect(await ports.readConnection(connection.id)).toEqual(revoked);
  });

  it('a connection of a customer that does not exist is not stored', async () => {
    expect(await ports.storeConnection(connection)).toBe(false);
    expect(await ports.readConnection(connection.id)).toBeNull();
    expect(await ports.markConnectionRevoked(connection.id, startOfTest)).toBeNull();
  });
}
