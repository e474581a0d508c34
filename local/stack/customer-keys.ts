import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

export const seededCustomerSchema = z.object({ id: z.string(), api_key: z.string() });

/** A customer that the stack made at its start, with the key to act as it. */
export type SeededCustomer = z.infer<typeof seededCustomerSchema>;

const fileSchema = z.array(seededCustomerSchema).min(1);

/**
 * Gives the customers of a kept data folder, or makes them. The table holds only hashes of keys, so the keys are
 * kept beside it, readable by the owner alone.
 *
 * @param dataDir `undefined` when nothing is kept
 */
export async function keepCustomers(
  dataDir: string | undefined,
  make: () => Promise<readonly SeededCustomer[]>,
): Promise<readonly SeededCustomer[]> {
  if (dataDir === undefined) return await make();
  const file = path.join(dataDir, 'customers.json');
  const kept = await readKept(file);
  if (kept !== undefined) return kept;
  const made = await make();
  await writeFile(`${file}.new`, JSON.stringify(made), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return made;
}

async function readKept(file: string): Promise<readonly SeededCustomer[] | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : fileSchema.parse(JSON.parse(text));
}
