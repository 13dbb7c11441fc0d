/** What `npm start -- --help` prints. */
export const HELP = `npm start                 runs the whole service on this machine until Ctrl-C
npm start -- --fresh      the same without the organizations, keys and jobs of earlier runs
npm start -- --help       prints this

Settings, as in PORT=8080 npm start:
  PORT                    port of the API, 3000 if absent; 0 for any free one
  DASHBOARD_PORT          port of the dashboard, the one after PORT if absent
  HOST                    address to listen on, 127.0.0.1 if absent; 0.0.0.0 opens the API to other machines
  API_URL                 URL by which callers reach the API
  API_KEY                 a demo key that an earlier npm start printed
  LOCAL_DIR               folder for state, logs and mails, .local if absent
  EMULATORS_HOST          second address of the emulators, for containers
  EGRESS_ALLOW            private targets that may be scraped, as in localhost:8000,10.0.0.7:80
  PREMIUM_PROXY_URL       your premium proxy, in place of the demo proxy
  MODEL_URL               your OpenAI-compatible model for extract_schema, as in http://127.0.0.1:11434/v1
  MODEL_NAME              the model's name at that endpoint, default if absent
  MODEL_KEY               the endpoint's key, if it needs one
  MODEL_STRUCTURED        json_schema, json_object or none: how it takes a schema; json_schema if absent
docs/development.md has the details.`;
