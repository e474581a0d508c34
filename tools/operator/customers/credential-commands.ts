import type { Table } from '#shared/aws/clients.ts';
import { readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { listCredentials } from '#shared/operations/operator/list-credentials.ts';
import { now } from '#shared/runtime/system.ts';
import { noCustomer } from '../cli/place-options.ts';
import { type Invocation, invoke } from '../cli/target.ts';
import { type Columns, recordTable } from '../cli/text-table.ts';

/** A kind of credential of which a customer can have several. */
type Kind<Stored, Shown> = {
  readonly name: 'key' | 'link';
  readonly read: (table: Table) => (customerId: string) => Promise<readonly Stored[]>;
  readonly markRevoked: (
    table: Table,
  ) => (customerId: string, id: string, at: number) => Promise<Stored | null>;
  readonly present: (stored: Stored) => Shown;
  readonly columns: Columns<Shown>;
  /** The line without any, which the command that makes one follows. */
  readonly none: string;
  readonly make: string;
  readonly list: string;
};

type Chosen = { readonly customer: string } & { readonly [Name in 'key' | 'link']?: string };

/** The actions that list and revoke the credentials of a customer. */
export function credentialActions<Stored, Shown extends { id: string; revoked_at: string | null }>(
  kind: Kind<Stored, Shown>,
) {
  const list = async ({ options: { customer }, open, next, show }: Invocation<Chosen>): Promise<void> => {
    const { table } = await open();
    const reads = { readCustomer: readCustomer(table), readCredentials: kind.read(table) };
    const found = await listCredentials(reads)(customer);
    if (found === null) throw noCustomer(next, customer);
    const shown = found.map(kind.present);
    const none = `${kind.none}: ${next(`${kind.make} --customer ${customer}`)}`;
    show(shown, shown.length === 0 ? [none] : recordTable(shown, kind.columns));
  };
  const revoke = async ({ options, open, next, show }: Invocation<Chosen>): Promise<void> => {
    const { customer, [kind.name]: id = '' } = options;
    const { table } = await open();
    const revoked = await kind.markRevoked(table)(customer, id, now());
    if (revoked === null) {
      const listing = next(`${kind.list} --customer ${customer}`);
      throw new Error(`Customer ${customer} has no ${kind.name} ${id}. List them with: ${listing}`);
    }
    const shown = kind.present(revoked);
    const title = `${kind.name.charAt(0).toUpperCase()}${kind.name.slice(1)}`;
    show(shown, [`${title} ${shown.id} has been revoked since ${shown.revoked_at}`]);
  };
  return { list: invoke(list), revoke: invoke(revoke) };
}
