/** A read of the API that is repeated, and knows how old its answer is. */

const SLOW_MS = 2_000;
const LEAST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Holds the newest answer of a read. After a failure the last answer stays, `error` says why it is
 * old, and the read is repeated by itself. `every` repeats it while the tab is visible.
 *
 * @template T
 */
export class Query {
  /** @type {T | undefined} */
  value;
  /** @type {import("./api.js").Problem | null} */
  error = null;
  /** @type {Date | null} when the shown answer came */
  at = null;
  slow = false;
  #failures = 0;
  #dirty = false;
  #running = false;
  #waits = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #aborted = new AbortController();

  /**
   * @param {import("lit").LitElement} host updated when anything changes
   * @param {(signal: AbortSignal) => Promise<T>} read
   * @param {{every?: number, pause?: number}} [times] in milliseconds; `pause` is the least time
   *   between two reads
   */
  constructor(host, read, { every = 0, pause = LEAST_PAUSE_MS } = {}) {
    this.host = host;
    this.read = read;
    this.every = every;
    this.pause = pause;
    host.addController(this);
  }

  hostConnected() {
    this.#aborted = new AbortController();
    this.#dirty = this.#running = false;
    this.refresh(true);
  }

  hostDisconnected() {
    clearTimeout(this.#timer);
    this.#aborted.abort();
  }

  /** Forgets the answer, for a read of something else. */
  restart() {
    this.hostDisconnected();
    this.value = undefined;
    this.error = this.at = null;
    this.hostConnected();
  }

  /**
   * Reads again: immediately, or, when a read runs or has just ended, once after the pause.
   *
   * @param {boolean} [now] without the pause
   */
  refresh(now = false) {
    if (this.#running) {
      this.#dirty = true;
      return;
    }
    const age = this.at ? Date.now() - this.at.getTime() : Infinity;
    const wait = now ? 0 : Math.max(0, this.pause - age);
    this.#schedule(wait);
  }

  #schedule(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), wait);
  }

  async #run() {
    if (document.hidden && this.at) {
      if (!this.#waits) document.addEventListener("visibilitychange", () => this.#seen(), { once: true });
      this.#waits = true;
      return;
    }
    const signal = this.#aborted.signal;
    this.#running = true;
    this.#dirty = false;
    const late = setTimeout(() => this.#set({ slow: true }), SLOW_MS);
    try {
      const value = await this.read(signal);
      if (signal.aborted) return;
      this.#failures = 0;
      this.#set({ value, error: null, at: new Date(), slow: false });
    } catch (error) {
      if (signal.aborted) return;
      this.#failures++;
      this.#set({ error, slow: false });
    } finally {
      clearTimeout(late);
      if (!signal.aborted) {
        this.#running = false;
        this.#next();
      }
    }
  }

  /** Reads again when a hidden tab is shown. */
  #seen() {
    this.#waits = false;
    if (!this.#aborted.signal.aborted) this.refresh();
  }

  #next() {
    if (this.error) {
      const lasting = [400, 403, 404].includes(this.error.status);
      if (!lasting) this.#schedule(Math.min(LONGEST_PAUSE_MS, this.pause * 2 ** this.#failures));
    } else if (this.#dirty) {
      this.#schedule(this.pause);
    } else if (this.every) {
      this.#schedule(this.every);
    }
  }

  #set(changes) {
    Object.assign(this, changes);
    this.host.requestUpdate();
  }
}
