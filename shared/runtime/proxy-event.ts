/**
 * What API Gateway may leave out of an event, or send as null, against the published type: a test of its console has no
 * headers unless they are filled in, and a smaller request context.
 */
type Received = {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | null | undefined>> | null;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | null | undefined>> | null;
  readonly requestContext?: { readonly requestId?: string; readonly path?: string } | null;
};

/** The id of the request in the access log. */
export function requestIdOf({ requestContext }: Received): string | undefined {
  return requestContext?.requestId;
}

/** The path as it was requested: with the stage, or the base path of a domain. */
export function requestedPath({ requestContext, path }: Received): string {
  return requestContext?.path ?? path;
}

/** The value of a header, the last one if it is repeated. @param name in lower case; header names match in any case */
export function headerOf({ headers }: Received, name: string): string | undefined {
  return valuesIn(headers, name).at(-1);
}

/** The entries of a list in a header, which may be repeated. @param name in lower case */
export function headerList(event: Received, name: string): readonly string[] {
  const repeated = valuesIn(event.multiValueHeaders, name).flat();
  const values = repeated.length === 0 ? [headerOf(event, name) ?? ''] : repeated;
  return values.flatMap((value) => value.split(','));
}

/** One value for each spelling of the name. */
function valuesIn<Value>(
  headers: Readonly<Record<string, Value | null | undefined>> | null | undefined,
  name: string,
): readonly Value[] {
  return Object.entries(headers ?? {}).flatMap(([key, value]) =>
    key.toLowerCase() === name && value !== null && value !== undefined ? [value] : [],
  );
}
