import * as z from 'zod';

/** A number, or its digits: the command line passes text. */
export const numberText = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]);

/** A boolean, or its name. */
export const flagText = z.union([
  z.boolean(),
  z.enum(['true', 'false']).transform((text) => text === 'true'),
]);
