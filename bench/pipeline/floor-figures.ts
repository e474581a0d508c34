import { z } from 'zod';

/** What the process of the floor measures against. */
export const floorRequestSchema = z.object({
  /** Origin of DynamoDB. */
  dynamodbUrl: z.string(),
  tableName: z.string(),
  region: z.string(),
  endpointUrl: z.string(),
});

const operationSchema = z.object({
  /** Median of operations that follow each other. */
  ms: z.number(),
  /** Elapsed time for an operation, with eight at once. */
  loadedMs: z.number(),
  /** CPU time of this process for an operation, with eight at once. */
  cpuMs: z.number(),
});

/** The least that an event can cost on this machine at this time. */
export const floorSchema = z.object({
  /** A signed UpdateItem with a condition. */
  write: operationSchema,
  /** A signed POST of an event to an endpoint, by https. */
  post: operationSchema,
});

export type FloorRequest = Readonly<z.infer<typeof floorRequestSchema>>;
export type Floor = Readonly<z.infer<typeof floorSchema>>;
