import * as z from 'zod';
import { exampleTypes } from '#shared/domain/event.ts';

/** Body of a request for an example. */
export const exampleRequest = z.object({ type: z.enum(exampleTypes) });
