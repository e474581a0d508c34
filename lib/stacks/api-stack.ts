import { CfnOutput, Fn, Stack, Validations } from 'aws-cdk-lib';
import { LambdaIntegration, type Method, ResourceBase } from 'aws-cdk-lib/aws-apigateway';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import {
  accessLogOutput,
  apiUrlOutput,
  operatorFunctionsOutput,
  portalLinkFunctionOutput,
} from '#shared/contract/deployment.ts';
import {
  type FunctionFolder,
  fallbackFunctionFolder,
  filesFunctionFolder,
  operationFolder,
  operatorFolder,
  operatorOperations,
} from '#shared/contract/functions.ts';
import { isPublic, operationNames, publicMethods, publicPaths, routes } from '#shared/contract/routes.ts';
import { gatewayResponses } from '../constructs/gateway-responses.ts';
import { ServiceApi } from '../constructs/service-api.ts';
import type { ServiceFunction } from '../constructs/service-function.ts';
import { stackPropsOf } from '../settings/stage-props.ts';
import { addStageFunction, type StageFunctionProps } from './stage-function.ts';

/** Why a method has no API Gateway authorizer. */
const openMethods = {
  customer:
    'The function checks the API key or access token itself and reports a failure as a problem document, whose ' +
    'code and status an API Gateway authorizer could not choose',
  files: 'A public page of the documentation; its function may only write its own log',
  fallback: 'Answers not_found for every unknown path and method; its function may only write its own log',
} as const;

/** The HTTP API: one function per operation, one for all published files, and one for every other path and method. */
export class ApiStack extends Stack {
  /** Public address of the API, without a trailing slash. */
  readonly baseUrl: string;
  /** Base address of the problem type documentation, without a trailing slash. */
  private readonly docsUrl: string;
  private readonly props: StageFunctionProps;
  readonly api: ServiceApi;
  /** For programs of the operator. */
  readonly operatorFunctions: readonly LambdaFunction[];

  constructor(scope: Construct, id: string, props: StageFunctionProps) {
    super(scope, id, stackPropsOf(props, 'api'));
    this.addStackDependency(props.data);
    if (props.network !== undefined) this.addStackDependency(props.network);
    this.props = props;
    this.api = new ServiceApi(this, 'Api', props.config);
    this.baseUrl = props.config.baseUrl ?? this.ownAddress();
    this.docsUrl = props.config.docsUrl ?? `${this.baseUrl}/docs`;
    this.addOperations();
    this.addFiles();
    this.addFallback();
    this.operatorFunctions = this.addOperatorFunctions();
    for (const response of gatewayResponses(this.docsUrl)) this.api.answerFailure(response);
    new CfnOutput(this, apiUrlOutput, { value: this.baseUrl });
    new CfnOutput(this, 'DocsUrl', { value: this.docsUrl });
    new CfnOutput(this, accessLogOutput, { value: this.api.accessLog.logGroupName });
    // Version 0.1.0's delivery stack imports it: see `DataStack.keepExports`.
    this.exportValue(this.api.restApiId);
  }

  /**
   * The public address, for other stacks. A configured address is a literal, so that changing it also changes their
   * templates. Otherwise they read an output that always exists: a reference to the API itself would disappear when a
   * domain is added, and a rollback may need it.
   */
  publicAddress(): string {
    const { domain, baseUrl } = this.props.config;
    const known = domain !== undefined || baseUrl !== undefined;
    return known ? this.baseUrl : Fn.getStackOutput(this.stackName, apiUrlOutput, this.region);
  }

  /**
   * Built from the API's id: `api.url` depends on the deployed stage, which depends on the methods and thus on the
   * functions that need the address.
   */
  private ownAddress(): string {
    const { domain, stage } = this.props.config;
    if (domain !== undefined) return `https://${domain.name}`;
    return `https://${this.api.restApiId}.execute-api.${this.region}.${this.urlSuffix}/${stage}`;
  }

  /** Name of the access log's group, for other stacks: an output that always exists, as the address above. */
  accessLogName(): string {
    return Fn.getStackOutput(this.stackName, accessLogOutput, this.region);
  }

  private addOperations(): void {
    for (const operation of operationNames) {
      if (isPublic(operation)) continue;
      const { method, path } = routes[operation];
      const handler = this.addFunction(operationFolder(operation)).lambda;
      const integration = new LambdaIntegration(handler, { allowTestInvoke: false });
      const added = this.api.root.resourceForPath(path).addMethod(method, integration);
      acknowledgeOpen(added, openMethods.customer);
    }
  }

  /** One function serves every published file. */
  private addFiles(): void {
    const handler = this.addFunction(filesFunctionFolder).lambda;
    // One permission for the whole API: the function may only write its own log, and each permission is a resource.
    const integration = new LambdaIntegration(handler, { scopePermissionToMethod: false });
    for (const path of publicPaths) {
      const resource = this.api.root.resourceForPath(path);
      for (const method of publicMethods) {
        acknowledgeOpen(resource.addMethod(method, integration), openMethods.files);
      }
    }
  }

  /** For the operator's own backend, which finds the functions by these outputs and invokes them. */
  private addOperatorFunctions(): readonly LambdaFunction[] {
    const functions = operatorOperations.map((operation) => {
      return [operation, this.addFunction(operatorFolder(operation)).lambda] as const;
    });
    const names = functions.map(([operation, { functionName }]) => [operation, functionName] as const);
    const value = `{${names.map(([operation, name]) => `"${operation}":"${name}"`).join(',')}}`;
    new CfnOutput(this, operatorFunctionsOutput, { value });
    const { createPortalLink } = Object.fromEntries(names);
    new CfnOutput(this, portalLinkFunctionOutput, { value: createPortalLink ?? '' });
    return functions.map(([, lambda]) => lambda);
  }

  /** On every resource, because an undefined method of a known path does not fall through to `{proxy+}`. */
  private addFallback(): void {
    const handler = this.addFunction(fallbackFunctionFolder).lambda;
    // One permission for the whole API: one per method would exceed the size limit of the function's policy.
    const integration = new LambdaIntegration(handler, { scopePermissionToMethod: false });
    this.api.root.addResource('{proxy+}');
    for (const resource of this.api.root.node.findAll().filter((each) => each instanceof ResourceBase)) {
      acknowledgeOpen(resource.addMethod('ANY', integration), openMethods.fallback);
    }
  }

  private addFunction(folder: FunctionFolder): ServiceFunction {
    return addStageFunction(this, folder, this.props, { baseUrl: this.baseUrl, docsUrl: this.docsUrl });
  }
}

function acknowledgeOpen(method: Method, reason: string): void {
  Validations.of(method).acknowledge({ id: 'AwsSolutions-APIG4', reason }, { id: 'AwsSolutions-COG4', reason });
}
