/** Whether a `Content-Type` header, or the first type of an `Accept` header, is one of the API's binary media types. */
export function matchesMediaType(binaryMediaTypes: readonly string[], header: string | undefined): boolean {
  if (header === undefined) return binaryMediaTypes.includes('*/*');
  const mediaType = header.split(/[,;]/)[0]?.trim().toLowerCase() ?? '';
  const family = `${mediaType.split('/')[0]}/*`;
  return ['*/*', family, mediaType].some((candidate) => binaryMediaTypes.includes(candidate));
}
