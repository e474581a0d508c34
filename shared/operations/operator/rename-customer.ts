import type { Customer } from '#shared/domain/customer.ts';

/** What changes, at least one. An empty public name is none. */
export type NewNames = { readonly name?: string | undefined; readonly publicName?: string | undefined };

/** Renames a customer wherever its names are stored. @returns `false` when the customer does not exist */
export type RenameCustomer = (id: string, names: NewNames) => Promise<boolean>;

type Deps = {
  readonly renameCustomer: RenameCustomer;
  readonly readCustomer: (id: string) => Promise<Customer | null>;
};

/** Renames a customer. @returns the stored customer; `null` when it does not exist */
export function renameCustomer(deps: Deps) {
  return async (id: string, names: NewNames): Promise<Customer | null> =>
    (await deps.renameCustomer(id, names)) ? deps.readCustomer(id) : null;
}
