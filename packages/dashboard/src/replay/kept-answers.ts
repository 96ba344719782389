/** Answers that are kept: those of the charts between a few jumps. */
const ANSWERS_MAX = 40;

/** Cached answers about a past time, for jumps. */
export class KeptAnswers {
  readonly #answers = new Map<string, unknown>();

  async get<Answer>(key: string, load: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#answers.has(key) ? (this.#answers.get(key) as Answer) : await load();
    // The least recently used is the first.
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > ANSWERS_MAX && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }
}
