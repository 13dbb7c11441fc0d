/** Fields that a query string does not take: URLs end up in logs. */
export const ONLY_IN_JSON: readonly string[] = [
  'headers',
  'method',
  'body',
  'js_scenario',
  'capture',
  'formats',
  'extract_rules',
  'screenshot',
  'pdf',
];
