type Piece = string | ArrayBuffer | Uint8Array

/**
 * The subset of Blob that postal-mime uses to join the lines of an email. Node's Blob is far slower: on a busy machine,
 * 500,000 empty lines take 16 s instead of 2 s.
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
