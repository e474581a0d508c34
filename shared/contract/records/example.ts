import * as z from 'zod/mini';
import { exampleTypes } from '#shared/domain/event.ts';

/** Body of a request for an example. */
export const exampleRequest = z.strictObject({ type: z.enum(exampleTypes) });
