import { rateLimit } from '#shared/domain/rate-window.ts';

/**
 * Levels of arrays and objects in a message of the queues. Parsing accepts any depth, but writing JSON to store it takes a
 * stack frame per level.
 */
export const maxMessageDepth = 100;

/** Limits of the API. The limits of a delivery are beside its rules in `shared/domain`. */
export const limits = {
  /** Endpoints per customer at once; failed ones count. */
  endpointsPerCustomer: 5,
  /** Requests per credential in any 60 seconds. */
  requestsPerMinute: rateLimit,
  /** Records per page. */
  pageSizeDefault: 25,
  pageSizeMax: 100,
  /** Bytes of a request body. */
  requestBodyBytes: 64 * 1024,
  /** Levels of arrays and objects in a request body. */
  requestBodyDepth: 32,
  /** Characters of an endpoint's description. */
  descriptionLength: 500,
  /** Minutes until a portal link ends. */
  portalLinkMinutes: 60,
  portalLinkMinutesMax: 24 * 60,
  /** Characters of the names and the reference of a customer. */
  customerNameLength: 200,
  customerReferenceLength: 128,
  /** Members of a customer's metadata, and the characters of their names and values. The row stays below 4 KB. */
  metadataMembers: 16,
  metadataNameLength: 40,
  metadataValueLength: 200,
  /** Replays per second of a bulk replay. */
  replayRateDefault: 10,
  replayRateMax: 25,
  /** What the operator may ask for. */
  operatorReplayRateMax: 100,
  /** Deliveries that a bulk replay can be given by their ids: as many as one request reads. */
  replayedDeliveries: 100,
  /** Deliveries that the plan of a bulk replay reads for each request that it counts as: half a read unit for each 4 KB. */
  planReadsPerRequest: 500,
  /** Most requests that one plan counts as. */
  planRequests: 20,
  /** Characters of a cursor. */
  cursorLength: 512,
} as const;
