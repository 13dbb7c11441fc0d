import type { Duration, Size, Stack } from 'aws-cdk-lib';
import { type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function,
  type ILayerVersion,
  LoggingFormat,
  type RecursiveLoop,
  Runtime,
  SystemLogLevel,
  type TenancyConfig,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionName, RequiredEnvironment } from '../../shared/config.ts';
import type { Stage } from '../stages.ts';
import type { Bundles } from './bundle-functions.ts';
import { bufferedHandler, declaredForSam } from './buffered.ts';

const DEFAULT_MEMORY_MIB = 512;

/** What only some stages have. */
type OptionalVariables = {
  PREMIUM_PROXY_SECRET_ARN?: string;
  BROWSER_TENANCY?: string;
  MODEL_FUNCTION?: string;
};

type Options<F extends FunctionName> = {
  /** Exactly the variables that the function's schema requires. */
  environment: RequiredEnvironment<F> & OptionalVariables;
  architecture: Architecture;
  timeout: Duration;
  /** Besides writing its log and traces. */
  permissions: PolicyStatement[];
  layers?: ILayerVersion[];
  ephemeralStorageSize?: Size;
  tracing?: Tracing;
  systemLogLevelV2?: SystemLogLevel;
  tenancyConfig?: TenancyConfig;
  /** For a function that leads to itself: by default Lambda stops it after 16 turns. */
  recursiveLoop?: RecursiveLoop;
};

/** A function with its own log group and role. AWS's managed policy would let it write to every log. */
export function serviceFunction<F extends FunctionName>(
  { stack, stage, code }: { stack: Stack; stage: Stage; code: { bundles: Bundles } },
  name: F,
  { permissions, ...options }: Options<F>,
): Function {
  const home = new Construct(stack, name.charAt(0).toUpperCase() + name.slice(1));
  const logGroup = new LogGroup(home, 'Logs', stage.logs);
  const role = new Role(home, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  for (const statement of permissions) role.addToPolicy(statement);
  const reserved = stage.reservedConcurrency[name];
  return new Function(home, 'Function', {
    tracing: Tracing.ACTIVE,
    // Lambda's own lines, three per invocation, cost money and say nothing when all is well.
    loggingFormat: LoggingFormat.JSON,
    systemLogLevelV2: SystemLogLevel.WARN,
    ...options,
    ...(reserved === undefined ? {} : { reservedConcurrentExecutions: reserved }),
    description: `Sitefetch ${name}`,
    runtime: Runtime.NODEJS_24_X,
    code: Code.fromAsset(code.bundles[name]),
    handler: 'index.handler',
    memorySize: stage.memory[name] ?? DEFAULT_MEMORY_MIB,
    logGroup,
    role,
    ...(isBuffered(home) && {
      handler: bufferedHandler(name),
      environment: declaredForSam(name, options.environment),
      // The machine's own: Docker needs an emulator for another.
      architecture: Architecture.X86_64,
    }),
  });
}

/** `-c buffered=true` makes a template for `sam local invoke`. Do not deploy it. */
function isBuffered(scope: Construct): boolean {
  return String(scope.node.tryGetContext('buffered')) === 'true';
}
