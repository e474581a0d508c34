/** The host and the port of an endpoint's URL; the whole text when it is no URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
