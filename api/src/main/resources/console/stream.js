/** Follows the event stream: resumes where it was cut, and says whether it is cut. */
import { open, Problem } from "./api.js";

/** The service sends a line at least every 15 s. */
const SILENCE_MS = 40_000;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Server-sent events of a body, as the HTML standard parses them.
 *
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<{id?: string, event?: string, data?: string}>}
 */
export async function* messages(body) {
  let rest = "";
  /** @type {{id?: string, event?: string, data?: string}} */
  let message = {};
  for await (const chunk of chunks(body)) {
    const lines = (rest + chunk).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (Object.keys(message).length) yield message;
        message = {};
        continue;
      }
      const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (field === "data") message.data = message.data === undefined ? value : `${message.data}\n${value}`;
      else if (field === "id" || field === "event") message[field] = value;
    }
  }
}

/** @param {ReadableStream<Uint8Array>} body @returns {AsyncGenerator<string>} */
export async function* chunks(body) {
  const decoder = /** @type {TransformStream<Uint8Array, string>} */ (new TextDecoderStream());
  const reader = body.pipeThrough(decoder).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * One open stream. `state` is "connecting", "live" or "cut"; `since` is when it became that.
 */
export class EventStream {
  /** @type {"connecting" | "live" | "cut"} */
  state = "connecting";
  since = new Date();
  problem = "";
  #position = "";
  #closed = new AbortController();

  /**
   * @param {Record<string, unknown>} params of /events/stream
   * @param {{event: (event: Api.Schemas["EventResponse"]) => void, gap: () => void, change: () => void}} listener `gap` is
   *   called when events may have been missed: everything has to be read again
   */
  constructor(params, listener) {
    this.params = params;
    this.listener = listener;
    // a page in the back-forward cache keeps its connections, of which a browser has six
    addEventListener("pagehide", () => this.close(), { once: true });
    this.#run();
  }

  close() {
    this.#closed.abort();
  }

  async #run() {
    for (let failures = 0; !this.#closed.signal.aborted; failures++) {
      try {
        await this.#follow(() => (failures = 0));
        this.#become("cut", "The service ended the stream.");
      } catch (failure) {
        if (this.#closed.signal.aborted) return;
        if (failure instanceof Problem && failure.status === 410) this.#position = "";
        this.#become("cut", failure instanceof Problem ? failure.message : "The connection was lost.");
      }
      const pause = Math.min(LONGEST_PAUSE_MS, 500 * 2 ** Math.min(failures, 5));
      await new Promise((resume) => setTimeout(resume, pause * (0.5 + Math.random() / 2)));
    }
  }

  /** @param {() => void} opened */
  async #follow(opened) {
    // one controller for the request: a browser may collect the signal of AbortSignal.any while the
    // body is read, and the connection then stays open
    const request = new AbortController();
    const stop = () => request.abort();
    this.#closed.signal.addEventListener("abort", stop);
    let watch = setTimeout(stop, SILENCE_MS);
    try {
      const answer = await open({
        path: "/events/stream",
        params: this.params,
        headers: {
          Accept: "text/event-stream",
          ...(this.#position && { "Last-Event-ID": this.#position }),
        },
        signal: request.signal,
      });
      opened();
      const resumed = this.#position !== "";
      this.#become("live", "");
      if (!resumed) this.listener.gap();
      for await (const message of messages(answer.body)) {
        clearTimeout(watch);
        watch = setTimeout(stop, SILENCE_MS);
        if (message.id) this.#position = message.id;
        if (message.event === "problem") throw new Problem(410, JSON.parse(message.data ?? "{}"));
        if (message.data) this.listener.event(JSON.parse(message.data));
      }
    } finally {
      clearTimeout(watch);
      this.#closed.signal.removeEventListener("abort", stop);
    }
  }

  #become(state, problem) {
    if (this.state !== state) this.since = new Date();
    this.state = state;
    this.problem = problem;
    if (!this.#closed.signal.aborted) this.listener.change();
  }
}
