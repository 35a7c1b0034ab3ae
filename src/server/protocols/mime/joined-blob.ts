type Piece = string | ArrayBuffer | Uint8Array

/**
 * The part of Blob that postal-mime uses to join the lines of a part. Node's implementation is far slower (500,000
 * empty lines on a busy machine: 16 s instead of 2 s).
 */
export class JoinedBlob {
  readonly #pieces: Uint8Array[]

  constructor(pieces: Piece[]) {
    this.#pieces = pieces.map(toBytes)
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const joined = new Uint8Array(this.#pieces.reduce((size, { length }) => size + length, 0))
    let at = 0
    for (const piece of this.#pieces) {
      joined.set(piece, at)
      at += piece.length
    }
    return joined.buffer
  }
}

const lineEnd = new Uint8Array([10])

function toBytes(piece: Piece): Uint8Array {
  if (piece === '\n') return lineEnd
  if (typeof piece === 'string') return Buffer.from(piece)
  return piece instanceof Uint8Array ? piece : new Uint8Array(piece)
}
