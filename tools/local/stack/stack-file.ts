import { z } from 'zod';
import { localResources } from '../../operator/cli/local-stack-file.ts';

/** Folder of all files that a running stack writes for other programs, below the working directory. */
export const defaultStateDir = '.local';

/** The stack file that commands read without `--stack-file`. */
export const defaultStackFile = `${defaultStateDir}/stack.json`;

const seededCustomerSchema = z.object({ id: z.string(), api_key: z.string() });

/** A customer that the stack created at its start, with its API key. */
export type SeededCustomer = z.infer<typeof seededCustomerSchema>;

/** The description of a running stack for other programs. */
export const stackFileSchema = localResources.extend({
  api_url: z.string(),
  docs_url: z.string(),
  region: z.string(),
  endpoints: z.object({
    dynamodb: z.string(),
    sqs: z.string(),
    scheduler: z.string(),
    kms: z.string(),
    /** Invokes the functions of the operator. */
    lambda: z.string(),
  }),
  /** Their names by operation, as the output of a deployed stage has them. */
  operator_functions: z.string(),
  customers: z.array(seededCustomerSchema),
  receiver: z.object({ origin: z.string(), inbox_url: z.string(), ca_file: z.string() }),
  /** Origins that the stack trusts for development receivers, and the certificate (PEM) that it expects there. */
  listen: z.object({ origins: z.array(z.string()), cert_file: z.string(), key_file: z.string() }),
  issuer: z.object({ url: z.string(), audience: z.string() }),
});

export type StackFile = z.infer<typeof stackFileSchema>;
