declare module 'js-yaml' {
  /** Throws if the text is not YAML. */
  export function load(text: string): unknown;
}
