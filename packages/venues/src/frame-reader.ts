import { type Frame, Malformed } from './venue.ts';

/** A feed's parser that never throws: what it does not understand, it refuses. */
export function frameReader(read: (text: string) => Frame): (text: string) => Frame {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      if (error instanceof Malformed || error instanceof SyntaxError)
        return { kind: 'refused', why: error.message };
      throw error;
    }
  };
}
