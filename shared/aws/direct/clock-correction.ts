import type { Clock } from '#shared/operations/ports.ts';
import type { ServiceError } from './service-error.ts';
import type { HttpAnswer } from './transport.ts';

/** Milliseconds between the clocks from which on AWS refuses a signature. */
const maxDifference = 5 * 60_000;

const clockErrors: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'AuthFailure',
  'InvalidSignatureException',
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
]);

/**
 * Signs with the time of the service when the clock of this machine is wrong: AWS refuses a signature whose time is
 * more than five minutes off. The date of a refusal tells the difference, and the request is tried again.
 */
export function createClockCorrection(now: Clock) {
  let difference = 0;
  const correctedFor = new WeakSet<ServiceError>();
  return {
    now: (): Date => new Date(now() + difference),
    /** Notes the difference that a refusal shows. @returns the error itself */
    corrected: (error: ServiceError, { headers: { date } }: HttpAnswer): ServiceError => {
      const serverTime = typeof date === 'string' ? Date.parse(date) : Number.NaN;
      const isOff = Math.abs(serverTime - (now() + difference)) >= maxDifference;
      if (clockErrors.has(error.name) && isOff) {
        difference = serverTime - now();
        correctedFor.add(error);
      }
      return error;
    },
    /** Whether the refused request is signed with another time when it is tried again. */
    wasCorrected: (error: unknown): boolean =>
      typeof error === 'object' && error !== null && correctedFor.has(Object(error)),
  };
}
