/** What a deployment decides about the headers of its deliveries. */
export type HeaderSettings = {
  /** The word between `X-` and `-Signature` in the headers of a delivery. */
  readonly serviceName: string;
  /** Whether deliveries also carry the headers of Standard Webhooks. */
  readonly standardWebhooks: boolean;
};

export type HeaderEvent = { readonly id: string; readonly type: string };

export const signatureName = ({ serviceName }: HeaderSettings): string => `X-${serviceName}-Signature`;

/** The headers that are the same on every attempt and every replay. */
export function constantHeaders({ serviceName }: HeaderSettings, event: HeaderEvent): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': `${serviceName}-Webhooks/1`,
    [`X-${serviceName}-Event-Id`]: event.id,
    [`X-${serviceName}-Event-Type`]: event.type,
  };
}

/**
 * The headers of an event's deliveries by name; `null` for a value that each attempt computes from its time and the
 * secrets that are valid then, and that is not stored.
 */
export function headerOutline(settings: HeaderSettings, event: HeaderEvent): Readonly<Record<string, string | null>> {
  return {
    ...constantHeaders(settings, event),
    [signatureName(settings)]: null,
    ...(settings.standardWebhooks
      ? { 'webhook-id': event.id, 'webhook-timestamp': null, 'webhook-signature': null }
      : {}),
  };
}
