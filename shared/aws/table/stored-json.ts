import * as z from 'zod';

/**
 * Documents of the Run engine are stored as JSON text: DynamoDB's own maps would refuse numbers and depths that
 * JSON allows, and would not give the members back in order.
 */
export const storedJson = z.string().transform((text): unknown => JSON.parse(text));
