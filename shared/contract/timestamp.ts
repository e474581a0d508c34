/** The wire format of times: ISO 8601 in UTC with milliseconds. */
export function timestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export function timestampOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : timestamp(epochMs);
}
