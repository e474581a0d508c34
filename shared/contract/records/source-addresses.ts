import * as z from 'zod/mini';

/** Where deliveries come from. */
export const sourceAddressesRecord = z.object({ addresses: z.array(z.ipv4()) });

/** @param list addresses, separated by commas; `undefined` when deliveries come from changing addresses */
export function presentSourceAddresses(list: string | undefined): z.infer<typeof sourceAddressesRecord> {
  return { addresses: list === undefined ? [] : list.split(',') };
}
