/** Addresses of the loopback interface in the test's network besides 127.0.0.1 and ::1. */
export const PUBLIC = '93.184.216.34';
export const PUBLIC_IPV6 = '2606:2800:220:1::1';
export const PRIVATE = [
  '10.0.0.5',
  '169.254.169.254',
  '192.168.1.1',
  '100.100.100.200',
  'fd00:ec2::254',
] as const;

export type Report = {
  /** The outcome of each URL: `status body` or the error code. */
  outcomes: Record<string, string>;
  /** Connections that reached a canary. */
  hits: number;
  /** DNS queries for the name that rebinds. */
  asked: number;
};

const HIGH = 'http://www.example.com:8080';

/** Every URL to try, in order, and its expected outcome. */
export const EXPECTED: Record<string, string> = {
  // Reached, at a public address, with certificates checked.
  'http://www.example.com/': '200 public',
  'https://www.example.com/': '200 public',
  'http://six.example.com:8080/': '200 public',
  [`http://${PUBLIC}/`]: '200 public',
  [`http://[${PUBLIC_IPV6}]:8080/`]: '200 public',
  'http://www.example.com./': '200 public',
  'https://other.example.net/': 'tls_failed',
  'https://www.example.com:8443/': 'connect_failed',
  'http://nobody.example.com/': 'dns_failed',
  // Resolves to the public address once, then to loopback.
  'http://rebind.example.com/': '200 public',
  'http://rebind.example.com/again': 'url_not_allowed',
  // Names of private addresses.
  'http://mixed.example.com/': 'url_not_allowed',
  'http://mixed-six.example.com/': 'url_not_allowed',
  'http://alias.example.com/': 'url_not_allowed',
  'http://meta.example.com/latest/meta-data/': 'url_not_allowed',
  'https://meta.example.com/': 'url_not_allowed',
  'http://mapped.example.com/': 'url_not_allowed',
  'http://10-0-0-5.nip.example.com:8080/': 'url_not_allowed',
  'http://localhost/': 'url_not_allowed',
  'http://metadata/': 'url_not_allowed',
  // The Runtime API's port, and a port that is refused even on public addresses.
  'http://127.0.0.1:9001/2018-06-01/runtime/invocation/next': 'url_not_allowed',
  'http://www.example.com:9001/': 'url_not_allowed',
  // Redirects to private targets.
  [`${HIGH}/to?http://127.0.0.1/`]: 'url_not_allowed',
  [`${HIGH}/to?http://127.1:8080/`]: 'url_not_allowed',
  [`${HIGH}/to?http://169.254.169.254/latest/meta-data/`]: 'url_not_allowed',
  [`${HIGH}/to?http://0251.0376.0251.0376/`]: 'url_not_allowed',
  [`${HIGH}/to?http://[::ffff:169.254.169.254]/`]: 'url_not_allowed',
  [`${HIGH}/to?http://[fd00:ec2::254]/`]: 'url_not_allowed',
  [`${HIGH}/to?http://meta.example.com/`]: 'url_not_allowed',
  [`${HIGH}/to?https://10.0.0.5/`]: 'url_not_allowed',
  [`${HIGH}/to?http://192.168.1.1:8080/`]: 'url_not_allowed',
  [`${HIGH}/to?http://100.100.100.200/`]: 'url_not_allowed',
  [`${HIGH}/to?//rebind.example.com/`]: 'url_not_allowed',
};
