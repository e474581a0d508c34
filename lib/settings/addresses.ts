/**
 * An address without query, fragment or trailing slash. Refuses dollar signs, which start a variable in API Gateway's
 * response templates.
 */
export function isServiceAddress(text: string): boolean {
  return isAddress(text) && !/[?$]|\/$/.test(text);
}

/** May end with a slash: the `iss` claim of a token must equal the issuer exactly. */
export function isIssuer(text: string): boolean {
  return isAddress(text) && !text.includes('?');
}

/** An https address, or a mailto link without a subject or a body. */
export function isSupportLink(text: string): boolean {
  if (text.startsWith('mailto:')) return /^mailto:[\w.+-]+@[\w-]+(\.[\w-]+)+$/.test(text);
  return text.startsWith('https://') && isAddress(text);
}

/** HTTPS, or HTTP on loopback, in the URL parser's canonical form. */
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
