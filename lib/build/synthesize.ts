import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Annotations, App, type AppProps } from 'aws-cdk-lib';
import * as z from 'zod';
import cdkJson from '../../cdk.json' with { type: 'json' };
import type { Brand } from '../../site/brand.ts';
import { readBrand } from '../settings/brand.ts';
import { ConfigError } from '../settings/config.ts';
import type { Settings } from '../settings/settings.ts';
import { readSettings } from '../settings/stage-settings.ts';
import { WebhookService } from '../webhook-service.ts';
import { brandBundle } from './branded-bundle.ts';
import { bundleFunctions, defaultBundleFolder, repositoryRoot } from './bundle.ts';

export type AppOptions = {
  /** Settings as on the command line (`-c key=value`). Settings that the CDK CLI passes override them. */
  readonly context?: Readonly<Record<string, string>>;
  /** Folder with the settings files of the stages. Default: `stages` of this repository. */
  readonly stageFiles?: string;
  /** Output folder of templates and assets. Default: that of the CDK CLI (`CDK_OUTDIR`), or a temporary folder. */
  readonly outDir?: string;
};

const contextSchema = z.record(z.string(), z.unknown());

/** Writes the bundle folder of each function into the template, as the CDK CLI does; the local stack reads it. */
const assetMetadata = { 'aws:cdk:enable-asset-metadata': true };

/**
 * Builds the stacks of one stage from existing bundles. Applies the feature flags of cdk.json, so that the
 * templates are the same with and without the CDK CLI.
 *
 * @throws ConfigError when a setting is wrong
 */
export function buildApp(bundles: string, options: AppOptions = {}): App {
  return addStacks(openApp(options), bundles);
}

/**
 * Bundles the functions of this repository and writes the templates. Needs no AWS account and no network.
 *
 * @throws ConfigError when a setting is wrong, before anything is bundled
 */
export async function synthesize(options: AppOptions = {}): Promise<{ readonly directory: string }> {
  const opened = openApp(options);
  await bundleFunctions();
  const bundles = defaultBundleFolder(repositoryRoot);
  const { brand } = opened;
  const branded = brand === undefined ? undefined : await brandBundle(repositoryRoot, bundles, brand);
  return addStacks(opened, bundles, branded).synth();
}

type OpenedApp = {
  readonly app: App;
  readonly settings: Settings;
  readonly brand: Brand | undefined;
  /** What the CDK CLI says beside the templates. */
  readonly note: string | undefined;
};

function openApp(options: AppOptions): OpenedApp {
  const app = new App(appProps(options));
  const folder = options.stageFiles ?? join(repositoryRoot, 'stages');
  const context = contextSchema.parse(app.node.getAllContext());
  const settings = readSettings({ context, shared: cdkJson.context, folder });
  const note = context.stage === undefined ? undefined : noteOfFile(settings.stage, folder);
  return { app, settings, brand: brandOf(settings, folder), note };
}

/** A mistyped name of a stage would deploy another one, with the default settings. */
function noteOfFile(stage: string, folder: string): string | undefined {
  if (existsSync(join(folder, `${stage}.json`))) return undefined;
  return `stages/${stage}.json does not exist, so this stage has the settings of the command line and the defaults`;
}

function brandOf(settings: Settings, folder: string): Brand | undefined {
  try {
    return readBrand(settings, folder);
  } catch (cause) {
    throw new ConfigError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** @param pages folder of the bundle that serves the published files; default: it is with the others */
function addStacks({ app, settings, note }: OpenedApp, bundles: string, pages = bundles): App {
  // The stacks are made in the app, so that their names are the ids that `cdk deploy` takes.
  const service = new WebhookService(app, 'Webhooks', { ...settings, bundles, pages, stackScope: app });
  const [data] = service.stacks;
  if (note !== undefined && data !== undefined) Annotations.of(data).addInfo(note);
  return app;
}

function appProps({ context, outDir }: AppOptions): AppProps {
  return {
    context: { ...cdkJson.context, ...assetMetadata, ...context },
    analyticsReporting: false,
    ...(outDir === undefined ? {} : { outdir: outDir }),
  };
}
