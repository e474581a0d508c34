import * as z from 'zod';
import { flagText } from './setting-texts.ts';

/** The headers of deliveries. */
export type DeliveryHeaders = {
  /** The word between `X-` and `-Signature` in the headers of a delivery. Default `Service`. */
  readonly serviceName: string;
  /** Whether deliveries also carry the headers of Standard Webhooks. Default true. */
  readonly standardWebhooks: boolean;
};

export const headerSettings = {
  serviceName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,39}$/)
    .default('Service'),
  standardWebhooks: flagText.default(true),
};

export const expectedHeaders: Readonly<Record<keyof DeliveryHeaders, string>> = {
  serviceName: 'a letter, then up to 39 letters, digits or hyphens',
  standardWebhooks: 'true or false',
};

export function headersOf({ serviceName, standardWebhooks }: DeliveryHeaders): DeliveryHeaders {
  return { serviceName, standardWebhooks };
}
