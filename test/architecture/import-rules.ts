/**
 * Which part of the project may import which, and what would break without the rule. A part may always import
 * itself; whatever else is not named here is forbidden.
 */
export type ImportRule = {
  readonly part: string;
  /** Parts whose values and types it may import; a trailing slash stands for everything below. */
  readonly parts: readonly string[];
  /** Parts of which it may import types only. */
  readonly typesOf?: readonly string[];
  /** Packages; a trailing `*` stands for any ending. */
  readonly packages: readonly string[];
  /** Packages of which it may import types only. */
  readonly typesOfPackages?: readonly string[];
  readonly why: string;
};

export const importRules: readonly ImportRule[] = [
  {
    part: 'shared/domain',
    parts: [],
    packages: [],
    why: 'rules that need a store, a clock or a library could not be read or tested on their own',
  },
  {
    part: 'shared/contract',
    parts: ['shared/domain'],
    packages: ['zod'],
    why: 'deploy time and clients of the contract would drag run-time code along',
  },
  {
    part: 'shared/operations',
    parts: ['shared/domain', 'shared/contract'],
    packages: [],
    why: 'a use case could no longer be run against memory, and its Deps would not show all that it touches',
  },
  {
    part: 'shared/aws',
    parts: ['shared/domain', 'shared/contract'],
    typesOf: ['shared/operations'],
    packages: ['@aws-sdk/*', 'zod'],
    why: 'an adapter that calls a use case turns the direction around, and adapters would grow into one another',
  },
  {
    part: 'shared/http',
    parts: ['shared/domain', 'shared/contract'],
    typesOf: ['shared/operations'],
    packages: ['node:*'],
    why: 'the one way to the outside must be reviewable alone, without libraries that dial by themselves',
  },
  {
    part: 'shared/auth',
    parts: ['shared/domain', 'shared/contract'],
    typesOf: ['shared/operations'],
    packages: ['node:crypto', 'node:zlib', 'jose*', 'zod'],
    why: 'deciding who calls must not depend on where keys are stored or how Lambda hands over a request',
  },
  {
    part: 'shared/runtime',
    parts: ['shared/domain', 'shared/contract'],
    typesOf: ['shared/auth', 'shared/operations'],
    packages: ['@middy/*', '@aws-lambda-powertools/*', 'zod', 'node:crypto', 'node:timers/promises'],
    typesOfPackages: ['aws-lambda'],
    why: 'every function would carry the adapters that some wrapper of requests happens to use',
  },
  {
    part: 'functions/wiring',
    parts: ['shared/'],
    packages: [],
    why: 'what functions share would pull one of them into the bundles of the others',
  },
  {
    part: 'functions',
    parts: ['shared/', 'functions/wiring'],
    packages: [],
    typesOfPackages: ['aws-lambda'],
    why: 'a function that imports another, or deploy-time code, carries it in its bundle and its permissions',
  },
  {
    part: 'lib',
    parts: ['shared/contract', 'cdk.json'],
    packages: ['aws-cdk-lib*', 'constructs', 'esbuild', 'zod', 'node:*'],
    why: 'synthesis would run the code that it deploys',
  },
  {
    part: 'operator',
    parts: ['shared/'],
    packages: ['commander', 'zod', 'node:*'],
    why: 'the command line is for deployed stages too, so it may not need the local stack or the CDK',
  },
  {
    part: 'local',
    parts: ['shared/', 'operator'],
    packages: ['*'],
    why: 'the local stack runs what is built and synthesized; importing handlers or stacks would run something else',
  },
  {
    part: 'docs',
    parts: ['shared/domain', 'shared/contract'],
    packages: ['zod'],
    why: 'the published contract would describe something else than what the routes and schemas say',
  },
  {
    part: 'bin',
    parts: ['docs', 'lib', 'local', 'operator', 'conformance', 'bench'],
    packages: ['*'],
    why: 'an entry point that imports tests or handlers is no entry point',
  },
  {
    part: 'conformance',
    parts: [],
    packages: ['*'],
    why: 'a check from outside that shares code with the service would share its mistakes',
  },
  {
    part: 'bench',
    parts: ['shared/', 'operator', 'local'],
    packages: ['*'],
    why: 'a figure would speak of code that no stage runs: of handlers without their bundles, or of tests',
  },
];

/** Imports that a rule forbids and that are right all the same. One that is no longer needed fails the test. */
export const exceptions: readonly {
  readonly from: string;
  readonly target: string;
  readonly reason: string;
}[] = [
  {
    from: 'shared/domain/signature.ts',
    target: 'node:crypto',
    reason: 'an HMAC is a pure function of its input, and nobody should write their own',
  },
  {
    from: 'shared/domain/derived-id.ts',
    target: 'node:crypto',
    reason: 'a digest is a pure function of its input, and derived ids need a good one',
  },
];

/** Files besides `shared/aws` that may use the AWS SDK. */
export const sdkExceptions: readonly { readonly from: string; readonly reason: string }[] = [
  {
    from: 'local/stack/seed.ts',
    reason:
      'hands the adapters of the table a client of its own, as the two seeded customers are made outside Lambda',
  },
];
