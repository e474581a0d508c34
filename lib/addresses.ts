/**
 * An address without query, fragment and trailing slash. A dollar sign is refused, because API Gateway would read it as a
 * variable of its response templates.
 */
export function isServiceAddress(text: string): boolean {
  return isAddress(text) && !/[?$]|\/$/.test(text);
}

/** With or without a trailing slash: tokens must name the issuer by exactly the same text. */
export function isIssuer(text: string): boolean {
  return isAddress(text) && !text.includes('?');
}

/** Https, or http on this machine, in the canonical form of the URL parser. */
export function isAddress(text: string): boolean {
  if (!URL.canParse(text) || text.includes('#')) return false;
  const { protocol, hostname, username, password, href } = new URL(text);
  const canonical = href === text || href === `${text}/`;
  const secure = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  return canonical && secure && username === '' && password === '';
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
