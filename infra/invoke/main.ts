import { withoutKeys } from '../../shared/observe/redacted.ts';
import { explainFault } from '../explain-fault.ts';
import { invoke } from './invoke.ts';

try {
  const { printed, isFault } = await invoke(process.argv.slice(2));
  console.log(printed);
  if (isFault) process.exitCode = 1;
} catch (error) {
  console.error(withoutKeys(explainFault(error)));
  process.exitCode = 1;
}
