import { type FromEnvInit, fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles of functions: lib/build/bundle.ts. Lambda gives a function its
 * credentials in the environment, so a function needs no other way to sign in, and they stay the same until its end.
 */
export function defaultProvider(init?: FromEnvInit): ReturnType<typeof fromEnv> {
  const read = fromEnv(init);
  let found: ReturnType<typeof read> | undefined;
  return () => {
    found ??= read();
    return found;
  };
}
