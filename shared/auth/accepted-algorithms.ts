/**
 * Fixed here, never read from a token. With a symmetric algorithm, anyone with the public key of the issuer could sign
 * tokens.
 */
export const acceptedAlgorithms: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
