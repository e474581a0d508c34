/** Never read from a token. With a symmetric algorithm, the issuer's public key would be a secret that signs tokens. */
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
