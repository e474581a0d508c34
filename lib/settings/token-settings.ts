import * as z from 'zod';
import { isAddress, isIssuer } from './addresses.ts';

/** Which access tokens are accepted. */
export type Tokens = {
  /** The exact `iss` claim of a token. */
  readonly issuer: string;
  /** The value that the `aud` claim of a token must contain. */
  readonly audience: string;
  /** Where the issuer publishes its keys. Default `<issuer>/.well-known/jwks.json`. */
  readonly jwksUrl: string;
};

export const tokenSettings = {
  tokenIssuer: z.string().refine(isIssuer).optional(),
  tokenAudience: z
    .string()
    .regex(/^[!-~]{1,200}$/)
    .optional(),
  tokenJwksUrl: z.string().refine(isAddress).optional(),
};

export const expectedTokens: Readonly<Record<keyof typeof tokenSettings, string>> = {
  tokenIssuer:
    'an https address without query or fragment (http for loopback only), exactly as in the iss claim',
  tokenAudience: 'up to 200 visible ASCII characters',
  tokenJwksUrl: 'an https address without fragment (http for loopback only)',
};
