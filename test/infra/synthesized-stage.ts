import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { stackParts } from '#shared/contract/deployment.ts';
import { bundledFolders } from '#shared/contract/functions.ts';
import { buildApp } from '../../lib/build/synthesize.ts';
import { type AppModel, readAppModel } from '../../tools/local/template/app-model.ts';
import { readCloudAssembly } from '../../tools/local/template/cloud-assembly.ts';
import type { FunctionModel } from '../../tools/local/template/function-model.ts';

/** The templates of one stage, with placeholder bundles. */
export type SynthesizedStage = {
  readonly app: App;
  readonly assembly: CloudAssembly;
  /** The resources as the local stack runs them, with the references between them resolved. */
  readonly model: AppModel;
  /** Functions by the folder of their handler. */
  readonly functions: ReadonlyMap<string, FunctionModel>;
  readonly folderOf: (functionArn: string) => string | undefined;
  /** What the handler of each function answers: its placeholder bundle has the name of its folder. */
  readonly answers: ReadonlyMap<string, string | undefined>;
  /** The modes of the files that functions are made of, in octal: the owner alone may read those of the bundles. */
  readonly modes: ReadonlySet<string>;
  readonly data: Template;
  readonly api: Template;
  readonly delivery: Template;
  /** Only with fixed addresses, or in a network that exists. */
  readonly network: Template | undefined;
  /** The text of the template of each stack. */
  readonly files: readonly string[];
};

type StageSettings = Readonly<Record<string, string>>;

/** A stage that retains its data, with every setting that adds to the templates. */
export const everyOption = {
  stage: 'prod',
  domainName: 'hooks.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c3d',
  hostedZoneId: 'Z0123456789ABC',
  alarmEmail: 'ops@example.com',
  tokenIssuer: 'https://issuer.example.com',
  tokenAudience: 'https://hooks.example.com',
  profile: 'economy',
  tableReadMin: '30',
  tableWriteMin: '50',
  tableWriteMax: '6000',
  tableUtilization: '80',
  concurrentExecutions: '300',
  deliveryConcurrency: '7',
  queuePollers: '3',
  warmWrites: '40000',
  slowDeliveryConcurrency: '9',
  batchWindow: '2',
  deliveryMemory: '512',
  retentionDays: '30',
  logRetentionDays: '90',
  producers: '210987654321,arn:aws:iam::210987654321:role/run-engine',
  eventBus: 'create',
  notices: 'topic',
  fixedAddresses: '2',
  backupDays: '35',
  backupCopyTo: 'arn:aws:backup:eu-central-1:210987654321:backup-vault:copies',
  smokeReceiver: 'true',
  standardWebhooks: 'false',
  consoleFrameAncestors: 'https://portal.example.com,https://app.example.com:8443',
};

/** A stage in the network, under the names and within the policy that others chose. */
export const landingZone = {
  stage: 'prod',
  stackPrefix: 'Acme-hooks',
  vpcId: 'vpc-0123456789abcdef0',
  subnetIds: 'subnet-0a1b2c3d,subnet-4e5f6a7b',
  vpcAddresses: '203.0.113.7,203.0.113.8',
  tracing: 'active',
  permissionsBoundary: 'arn:aws:iam::123456789012:policy/teams/boundary',
  alarmEmail: 'arn:aws:sns:eu-central-1:123456789012:pager',
  removalPolicy: 'destroy',
};

const { domainName, certificateArn, alarmEmail, tokenIssuer, tokenAudience } = everyOption;

/** A stage in development with its own address, one address of deliveries, and without what settings can leave out. */
export const lean = {
  baseUrl: 'https://api.example.com',
  tokenIssuer,
  tokenAudience,
  dashboard: 'false',
  apiGatewayLogRole: 'existing',
  fixedAddresses: '1',
};

/** A stage in development that retains its data within a policy, and gets a domain whose zone is elsewhere. */
export const ownZone = {
  domainName,
  certificateArn,
  keepGatewayAddress: 'true',
  docsUrl: 'https://docs.example.com',
  alarmEmail,
  retainData: 'true',
  permissionsBoundary: 'boundary',
};

const synthesized = new Map<string, Promise<SynthesizedStage>>();

/** Test files that share a process share its stages: each is synthesized once, and read by all. */
export function synthesizeStage(settings: StageSettings = {}): Promise<SynthesizedStage> {
  const key = JSON.stringify(Object.entries(settings).toSorted());
  const stage = synthesized.get(key) ?? synthesizeOnce(settings);
  synthesized.set(key, stage);
  return stage;
}

async function synthesizeOnce(settings: StageSettings): Promise<SynthesizedStage> {
  const folder = await mkdtemp(join(tmpdir(), 'infra-'));
  const bundles = await writePlaceholders(join(folder, 'bundles'));
  const app = buildApp(bundles, {
    context: settings,
    outDir: join(folder, 'out'),
    stageFiles: join(folder, 'stages'),
  });
  const assembly = app.synth();
  const model = readAppModel(await readCloudAssembly(assembly.directory), { sqsUrl: 'http://127.0.0.1:1' });
  const functions = new Map(model.functions.map((each) => [each.title.replace(/^.*: /, ''), each] as const));
  const folders = new Map([...functions].map(([folder, { arn }]) => [arn, folder] as const));
  const folderOf = (arn: string) => folders.get(arn);
  const stacks = [...stackParts, 'network', 'vpc', 'smoke'].flatMap((part) =>
    assembly.stacks.filter(({ stackName }) => stackName.endsWith(`-${part}`)),
  );
  const answers = await Promise.all([...functions].map(async ([name, each]) => [name, await answerOf(each)] as const));
  const modes = new Set(await Promise.all([...functions.values()].map(modeOf)));
  const files = await Promise.all(stacks.map(({ templateFullPath }) => readFile(templateFullPath, 'utf8')));
  await rm(folder, { recursive: true });
  const [data, api, delivery] = files.map((text) => Template.fromString(text));
  const networkFile = files[stacks.findIndex(({ stackName }) => /-(network|vpc)$/.test(stackName))];
  const network = networkFile === undefined ? undefined : Template.fromString(networkFile);
  if (!(data && api && delivery)) throw new Error('A template is missing');
  const templates = { data, api, delivery, network, files };
  return { app, assembly, model, functions, folderOf, answers: new Map(answers), modes, ...templates };
}

async function modeOf({ codeDirectory }: FunctionModel): Promise<string> {
  const { mode } = await stat(join(codeDirectory, 'index.mjs'));
  return (mode & 0o777).toString(8);
}

async function answerOf({ handler, codeDirectory }: FunctionModel): Promise<string | undefined> {
  const [file, name = ''] = handler.split('.');
  const text = await readFile(join(codeDirectory, `${file}.mjs`), 'utf8');
  return text.startsWith(`export const ${name} = `) ? /'(.+)'/.exec(text)?.[1] : undefined;
}

/** Bundles that answer with the name of their folder. @returns the folder */
export async function writePlaceholders(bundles: string): Promise<string> {
  await Promise.all(bundledFolders.map((name) => writePlaceholder(join(bundles, name), name)));
  return bundles;
}

async function writePlaceholder(folder: string, name: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const text = `export const handler = () => '${name}';\n`;
  // As under a umask that leaves others nothing.
  await writeFile(join(folder, 'index.mjs'), text, { mode: 0o600 });
}
