import type { RawResponse } from './http.ts';

/** A request as it was sent. */
export type SentRequest = {
  readonly method: string;
  /** Request target, query included. */
  readonly path: string;
  /** The customer whose credential was sent. `none`: no credential, or one in the headers. */
  readonly by: 'customer' | 'other' | 'none';
};

/** One request and its response, as received. */
export type Exchange = RawResponse & {
  readonly request: SentRequest;
  readonly text: string;
  /** The parsed body, `undefined` when it is not JSON. */
  readonly json: unknown;
  /** Epoch milliseconds. */
  readonly respondedAt: number;
};

/** `undefined` when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function headerOf(exchange: Exchange, name: string): string | undefined {
  return exchange.headers.get(name)?.join(', ');
}

export function mediaType(exchange: Exchange): string {
  return (headerOf(exchange, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** A short name for reports. */
export function titleOf({ request, status }: Exchange): string {
  const path = request.path.length > 90 ? `${request.path.slice(0, 90)}…` : request.path;
  return `${request.method} ${path} → ${status}`;
}

export function isSuccess({ status }: Exchange): boolean {
  return status >= 200 && status < 300;
}
