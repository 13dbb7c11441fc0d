/**
 * Headers of an integration that API Gateway sends under another name: these are its own to set. Of the documented list
 * Content-Type and Content-Encoding are passed on.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 */
const ITS_OWN = new Set(
  `accept accept-charset accept-encoding age authorization connection content-length content-md5 date expect host
  max-forwards pragma proxy-authenticate range referer server te trailer transfer-encoding upgrade user-agent via warn
  www-authenticate`.split(/\s+/),
);

/** The headers as a client of a REST API sees them. */
export function renamedHeaders<Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      ITS_OWN.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name,
      value,
    ]),
  );
}
