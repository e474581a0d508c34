import { parseIpAddress } from './ip-address.ts';

type Prefix = { readonly bytes: Uint8Array; readonly length: number };

/**
 * Every block of IANA's special-purpose registry, including globally reachable ones, because none of them is a
 * customer's receiver. Also multicast, the reserved top of the address space, and one public address that Azure answers
 * from inside its network.
 */
const specialIpv4 = prefixes([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure platform
  '169.254.0.0/16', // link-local, instance metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // former 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]);

/**
 * Only global unicast can be public. This excludes loopback, unique local and link-local addresses, multicast, and the
 * notations that carry an IPv4 address below ::/3 (mapped, compatible, translated, NAT64).
 */
const globalUnicast = prefix('2000::/3');

const specialIpv6 = prefixes([
  '2001::/23', // protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, DRIP
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
]);

/** Whether an address is public unicast; `false` for a text that is not strictly an address. */
export function isPublicAddress(address: string): boolean {
  const bytes = parseIpAddress(address);
  if (bytes === null) return false;
  return bytes.length === 4
    ? !isInside(bytes, specialIpv4)
    : isInside(bytes, [globalUnicast]) && !isInside(bytes, specialIpv6);
}

function isInside(bytes: Uint8Array, blocks: readonly Prefix[]): boolean {
  return blocks.some((block) => startsWith(bytes, block));
}

function startsWith(bytes: Uint8Array, block: Prefix): boolean {
  return block.bytes.every((expected, index) => {
    const bits = Math.min(Math.max(block.length - index * 8, 0), 8);
    const mask = 0xff & (0xff << (8 - bits));
    return ((bytes[index] ?? 0) & mask) === (expected & mask);
  });
}

function prefixes(texts: readonly string[]): readonly Prefix[] {
  return texts.map(prefix);
}

function prefix(text: string): Prefix {
  const [address = '', length = ''] = text.split('/');
  const bytes = parseIpAddress(address);
  if (bytes === null) {
    throw new TypeError(`Prefix ${text} does not start with an address`);
  }
  return { bytes, length: Number(length) };
}
