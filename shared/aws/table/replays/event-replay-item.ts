import * as z from 'zod/mini';
import { reads } from '../stored-row.ts';

/** The id of one replay of an event to an endpoint: the key of its row says all. */
export const fromEventReplayItem = reads('Event replay', z.object({ sk: z.string() }), ({ sk }) => sk);
