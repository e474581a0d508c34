const decimalOctet = /^(?:0|[1-9]\d{0,2})$/;
const hexGroup = /^[0-9a-f]{1,4}$/i;

/**
 * Parses an address in the notation that resolvers and sockets use: dotted decimal without leading zeros, or IPv6 text
 * without a zone. Every other spelling is refused, so that the checked address is always the connected one.
 *
 * @returns 4 or 16 bytes, or `null` for any other text
 */
export function parseIpAddress(text: string): Uint8Array | null {
  return familyOf(text) === 'IPv6' ? parseIpv6(text) : parseIpv4(text);
}

/** The family of an address, by its notation. */
export function familyOf(text: string): 'IPv4' | 'IPv6' {
  return text.includes(':') ? 'IPv6' : 'IPv4';
}

/** Whether two texts are notations of the same address. */
export function sameAddress(left: string, right: string): boolean {
  const a = parseIpAddress(left);
  const b = parseIpAddress(right);
  return a !== null && b !== null && a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function parseIpv4(text: string): Uint8Array | null {
  const parts = text.split('.');
  const octets = parts.map(Number);
  const wellFormed = parts.length === 4 && parts.every((part) => decimalOctet.test(part));
  return wellFormed && octets.every((octet) => octet <= 255) ? Uint8Array.from(octets) : null;
}

function parseIpv6(text: string): Uint8Array | null {
  const halves = text.split('::');
  const head = readGroups(halves[0] ?? '', halves.length === 1);
  const tail = readGroups(halves[1] ?? '', true);
  if (halves.length > 2 || head === null || tail === null) return null;
  const missing = 8 - head.length - tail.length;
  const complete = halves.length === 2 ? missing >= 1 : missing === 0;
  return complete ? toBytes([...head, ...new Array<number>(missing).fill(0), ...tail]) : null;
}

/** @param isLast whether the groups end the address, where the last two may be written as IPv4 */
function readGroups(text: string, isLast: boolean): number[] | null {
  if (text === '') return [];
  const parts = text.split(':');
  const last = parts.at(-1) ?? '';
  const embedded = isLast && last.includes('.') ? parseIpv4(last) : null;
  const hex = embedded === null ? parts : parts.slice(0, -1);
  if (!hex.every((part) => hexGroup.test(part))) return null;
  return [...hex.map((part) => Number.parseInt(part, 16)), ...(embedded === null ? [] : toGroups(embedded))];
}

function toGroups(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer);
  return [view.getUint16(0), view.getUint16(2)];
}

function toBytes(groups: readonly number[]): Uint8Array {
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
