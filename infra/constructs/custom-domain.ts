import { EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Stage } from '../stages.ts';

/** Serves the API under the operator's domain. Returns the host name to alias it to in the DNS. */
export function customDomain(api: RestApi, { name, certificateArn }: NonNullable<Stage['domain']>): string {
  const domain = api.addDomainName('Domain', {
    domainName: name,
    certificate: Certificate.fromCertificateArn(api, 'Certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  return domain.domainNameAliasDomainName;
}
