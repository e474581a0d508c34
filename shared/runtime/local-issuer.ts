import * as z from 'zod';
import { localEnvironmentNames } from '#shared/contract/environment.ts';
import { readLocalSettings } from './local-settings.ts';

const loopbackOrigin = z.string().regex(/^http:\/\/127\.0\.0\.1:\d+$/);

/**
 * The http origin of the local stack's token issuer; `undefined` everywhere else.
 *
 * @throws Error inside Lambda, where `lib/` never sets it
 */
export function readLocalIssuerOrigin(env: NodeJS.ProcessEnv = process.env): string | undefined {
  // Refuses every setting of the local stack inside Lambda.
  readLocalSettings(env);
  return loopbackOrigin.optional().parse(env[localEnvironmentNames.issuerOrigin]);
}
