/**
 * Which part of the project may import which, and what breaks without the rule. A part may always import itself;
 * every other import that is not listed here is forbidden.
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
    why: 'rules that need a store, a clock or a library cannot be read or tested alone',
  },
  {
    part: 'shared/contract',
    parts: ['shared/domain'],
    packages: ['zod/mini'],
    why: 'the CDK app and clients of the contract pull in run-time code',
  },
  {
    part: 'shared/operations',
    parts: ['shared/domain', 'shared/contract', 'shared/aws/table'],
    typesOf: ['shared/aws'],
    packages: [],
    why: 'a use case can no longer run in a test, and its Deps do not show what it touches beside the table',
  },
  {
    part: 'shared/aws/table',
    parts: ['shared/domain', 'shared/contract', 'shared/aws'],
    typesOf: ['shared/operations'],
    packages: ['@aws-sdk/*', 'zod/mini'],
    why: 'what is stored is decided in two places',
  },
  {
    part: 'shared/aws',
    parts: ['shared/domain', 'shared/contract', 'shared/aws/table'],
    typesOf: ['shared/operations'],
    packages: ['@aws-sdk/*', '@smithy/node-http-handler', 'node:crypto', 'node:http', 'node:https', 'zod/mini'],
    why: 'an adapter that calls a use case reverses the direction, and adapters become entangled',
  },
  {
    part: 'shared/http',
    parts: ['shared/domain', 'shared/contract'],
    typesOf: ['shared/operations'],
    packages: ['node:*'],
    why: 'the only way to the outside must be reviewable alone, without libraries that open connections',
  },
  {
    part: 'shared/auth',
    parts: ['shared/domain', 'shared/contract', 'shared/aws/table'],
    typesOf: ['shared/aws', 'shared/operations'],
    packages: ['node:crypto', 'node:zlib', 'jose*', 'zod/mini'],
    why: 'authentication must not depend on how Lambda passes a request',
  },
  {
    part: 'shared/runtime',
    parts: ['shared/domain', 'shared/contract'],
    typesOf: ['shared/auth', 'shared/operations'],
    packages: [
      '@middy/*',
      'zod/mini',
      'zod/locales',
      'node:crypto',
      'node:fs/promises',
      'node:timers/promises',
      'node:zlib',
    ],
    typesOfPackages: ['aws-lambda'],
    why: 'every function carries the adapters that a request wrapper happens to use',
  },
  {
    part: 'functions/wiring',
    parts: ['shared/'],
    packages: [],
    why: 'shared code pulls one function into the bundles of the others',
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
    parts: ['shared/contract', 'cdk.json', 'site'],
    packages: ['aws-cdk-lib*', 'constructs', 'esbuild', 'zod', 'node:*'],
    why: 'synthesis runs the code that it deploys',
  },
  {
    part: 'tools/operator',
    parts: ['shared/', 'packages/producer', 'package.json'],
    packages: ['commander', 'zod', 'node:*'],
    why: 'the command line also serves deployed stages, so it must not need the local stack or the CDK',
  },
  {
    part: 'packages/producer',
    parts: ['shared/domain', 'shared/contract', 'shared/runtime'],
    packages: [],
    why: 'other programs import it from the package: it must need neither the AWS SDK nor the service',
  },
  {
    part: 'packages/construct',
    parts: ['lib'],
    packages: [],
    why: 'the package has more in it than what makes the templates',
  },
  {
    part: 'packages/api-client',
    parts: [],
    packages: ['openapi-fetch', 'zod'],
    why: 'a client that shares code with the service hides what the description of the API does not say',
  },
  {
    part: 'tools/smoke',
    parts: ['shared/', 'tools/operator', 'tools/conformance'],
    packages: ['commander', 'zod', 'node:*'],
    why: 'the smoke test also runs against deployed stages, so it must not need the local stack or the CDK',
  },
  {
    part: 'tools/local',
    parts: ['shared/', 'packages/api-client', 'tools/operator'],
    packages: ['*'],
    why: 'the local stack runs the built bundles and synthesized templates; imported handlers or stacks are something else',
  },
  {
    part: 'tools/webhook-delivery',
    parts: ['shared/aws', 'tools/operator', 'tools/smoke', 'tools/local'],
    packages: ['commander', 'node:*'],
    why: 'the program only puts commands together; what they do is tested without it',
  },
  {
    part: 'site/openapi',
    parts: ['shared/domain', 'shared/contract'],
    packages: ['zod'],
    typesOfPackages: ['zod/mini'],
    why: 'the published contract differs from the routes and schemas',
  },
  {
    part: 'site',
    parts: ['shared/domain', 'shared/contract', 'site/openapi'],
    packages: ['esbuild', 'highlight.js', 'markdown-it*', 'minisearch', 'zod', 'node:*'],
    why: 'a page of the site needs more than the repository to build, or shows something else than the contract',
  },
  {
    part: 'console',
    parts: ['packages/api-client'],
    packages: ['openapi-fetch', 'preact', 'preact/hooks'],
    why: 'a page that customers load carries code of the service, or grows with a library',
  },
  {
    part: 'bin',
    parts: ['lib', 'site', 'site/openapi', 'tools/', 'package.json', 'packages/cli'],
    packages: ['*'],
    why: 'an entry point that imports tests or handlers is no entry point',
  },
  {
    part: 'tools/conformance',
    parts: [],
    packages: ['*'],
    why: 'a check from outside that shares code with the service shares its mistakes',
  },
  {
    part: 'tools/bench',
    parts: ['shared/', 'packages/api-client', 'tools/operator', 'tools/local'],
    packages: ['*'],
    why: 'a figure describes code that no stage runs: handlers without their bundles, or tests',
  },
];

/** Forbidden imports that are allowed nevertheless. An exception that is no longer needed fails the test. */
export const exceptions: readonly {
  readonly from: string;
  readonly target: string;
  readonly reason: string;
}[] = [
  {
    from: 'shared/domain/signature.ts',
    target: 'node:crypto',
    reason: 'an HMAC is a pure function of its input, and must not be self-made',
  },
  {
    from: 'shared/domain/derived-id.ts',
    target: 'node:crypto',
    reason: 'a digest is a pure function of its input, and derived ids need a good one',
  },
  {
    from: 'tools/bench/bill/bill.ts',
    target: 'lib/settings/profiles.ts',
    reason: 'the price of a profile is that of the settings that a stage gets',
  },
  {
    from: 'tools/bench/support/send-events.ts',
    target: 'packages/producer/intake.ts',
    reason: 'the Run engine sends with this package',
  },
  {
    from: 'console/api/service-facts.ts',
    target: 'shared/domain/event.ts',
    reason: 'its list of names is all that the bundle takes, and a second list would be forgotten',
  },
  {
    from: 'console/api/service-facts.ts',
    target: 'shared/domain/response-class.ts',
    reason: 'its list of names is all that the bundle takes, and a second list would be forgotten',
  },
];
