import type { Customer } from '#shared/domain/customer.ts';

/** Renames a customer wherever its name is stored. @returns `false` when the customer does not exist */
export type RenameCustomer = (id: string, name: string) => Promise<boolean>;

type Deps = {
  readonly renameCustomer: RenameCustomer;
  readonly readCustomer: (id: string) => Promise<Customer | null>;
};

/** Renames a customer. @returns the stored customer; `null` when it does not exist */
export function renameCustomer(deps: Deps) {
  return async (id: string, name: string): Promise<Customer | null> =>
    (await deps.renameCustomer(id, name)) ? deps.readCustomer(id) : null;
}
