/**
 * Response headers that API Gateway reserves, and so renames. Of the documented list, Content-Type and
 * Content-Encoding are not renamed.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 */
const RESERVED = new Set(
  `accept accept-charset accept-encoding age authorization connection content-length content-md5 date expect host
  max-forwards pragma proxy-authenticate range referer server te trailer transfer-encoding upgrade user-agent via warn
  www-authenticate`.split(/\s+/),
);

export function renamedHeaders<Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      RESERVED.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name,
      value,
    ]),
  );
}
