import type * as z from 'zod';
import { numberText } from './setting-texts.ts';

export type Retention = {
  /**
   * Days for which finished deliveries and stored results are kept. Default: none, and they are kept. Rows that are
   * stored before a change keep the time that they have.
   */
  readonly retentionDays: number | undefined;
};

const maxDays = 3650;

export const retentionSettings = {
  retentionDays: numberText
    .refine((days) => Number.isInteger(days) && days >= 1 && days <= maxDays)
    .optional(),
};

export type RetentionSettings = z.infer<z.ZodObject<typeof retentionSettings>>;

export const expectedRetention: Readonly<Record<keyof RetentionSettings, string>> = {
  retentionDays: `a whole number of days from 1 to ${maxDays}`,
};

export function retentionOf({ retentionDays }: RetentionSettings): Retention {
  return { retentionDays };
}

/** The environment variable of functions that write rows; none when rows are kept. */
export function retentionValues({ retentionDays }: Retention): { readonly retentionDays?: string } {
  return retentionDays === undefined ? {} : { retentionDays: String(retentionDays) };
}
