/** Names of the contract, of which the bundle has nothing else. */
// biome-ignore lint/performance/noBarrelFile: what the console knows of the service has one place
export { eventTypes } from '#shared/domain/event.ts';
export { responseClasses } from '#shared/domain/response-class.ts';

// What texts and pictures say about the service and its API does not return. A test compares it with the service.

/** Milliseconds in which the complete response headers have to arrive. */
export const attemptLimit = 10_000;

export const maxAttempts = 3;

/** Endpoints that a customer may have. */
export const slots = 5;

/** Seconds that the time of a signature may be away from the clock of the receiver. */
export const signatureTolerance = 300;

/** What the list of deliveries can be narrowed to. */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'retrying'];

/** The times that figures can be of. */
export const statsWindows = ['1h', '24h', '7d'] as const;
