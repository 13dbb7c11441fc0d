import { parseArgs } from 'node:util';
import { target } from '../admin/read-values.ts';
import { explainFault } from '../explain-fault.ts';
import { oneOf } from '../one-of.ts';
import { stageNames } from '../stage-names.ts';
import { deployedVariables, localVariables, samEnvironment } from './variables.ts';

const HELP = `Usage: npm run -s sam:env -- [--local | --stage NAME] > cdk.out/sam/env.json

Prints the variables of all functions for sam local invoke --env-vars: with --local those of npm start, otherwise those of
the functions deployed to a stage, ${oneOf(stageNames)} (default: dev), which needs AWS credentials.`;

const options = {
  local: { type: 'boolean', default: false },
  stage: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

try {
  const { values } = parseArgs({ options });
  const { local, stage } = target(values);
  if (values.help) console.log(HELP);
  else
    console.log(
      JSON.stringify(samEnvironment(await (local ? localVariables() : deployedVariables(stage))), null, 2),
    );
} catch (error) {
  console.error(explainFault(error));
  process.exitCode = 1;
}
