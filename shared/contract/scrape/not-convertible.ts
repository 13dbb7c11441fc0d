/** Why a page has no such parts. */
export type Obstacle =
  | 'type'
  | 'time'
  | 'memory'
  | 'depth'
  | 'required'
  | 'rule'
  /** Of a document. `scanned` becomes the error `needs_ocr`. */
  | 'encrypted'
  | 'broken'
  | 'pages'
  | 'scanned';

/** Thrown in the thread that converts; outside of it this becomes the error `not_convertible`. */
export class NotConvertible extends Error {
  readonly obstacle: Obstacle;

  constructor(obstacle: Obstacle, detail: string = obstacle) {
    super(detail);
    this.obstacle = obstacle;
  }
}
