import { z } from 'zod';
import { keep, readKept } from './kept-file.ts';

export const seededCustomerSchema = z.object({ id: z.string(), api_key: z.string() });

/** A customer that the stack created at its start, with its API key. */
export type SeededCustomer = z.infer<typeof seededCustomerSchema>;

const fileSchema = z.array(seededCustomerSchema).min(1);

/**
 * Loads the customers of a data folder, or creates them. The table stores only hashes of keys, so this file stores the
 * keys.
 *
 * @param file `undefined` when the stack keeps no data
 */
export async function keepCustomers(
  file: string | undefined,
  make: () => Promise<readonly SeededCustomer[]>,
): Promise<readonly SeededCustomer[]> {
  const kept = file === undefined ? undefined : await readKept(file, fileSchema);
  if (kept !== undefined) return kept;
  const made = await make();
  if (file !== undefined) await keep(file, made);
  return made;
}
