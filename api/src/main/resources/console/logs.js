/** The output of a member, followed while it runs. */
import { html, nothing } from "lit";
import { open } from "./api.js";
import { ENDED, heading, Part } from "./parts.js";
import { chunks } from "./stream.js";

const TAIL = 500;
const MOST_LINES = 5_000;
const LONGEST_PAUSE_MS = 15_000;
/** Control sequences of terminals, which say colours and cursor moves. */
const TERMINAL = /\x1b\[[0-9;?]*[ -/]*[@-~]/g;

class Logs extends Part {
  static properties = {
    job: {},
    array: { type: Boolean },
    attempt: { attribute: false },
    url: {},
    member: { state: true },
    status: { state: true },
    follows: { state: true },
  };

  constructor() {
    super();
    this.job = "";
    this.array = false;
    /** @type {Api.Schemas["AttemptResponse"] | undefined} */
    this.attempt = undefined;
    /** Of the job. @type {string | null} */
    this.url = null;
    this.member = "";
    this.status = "";
    this.follows = true;
    /** @type {AbortController | null} */
    this.reading = null;
    this.lines = 0;
    addEventListener("pagehide", () => this.reading?.abort());
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.reading?.abort();
  }

  firstUpdated() {
    this.#restart();
  }

  /** @param {Map<string, any>} changed */
  updated(changed) {
    if (changed.get("attempt") && changed.get("attempt").id !== this.attempt.id) {
      this.member = "";
      this.#restart();
    }
  }

  #name() {
    const [first] = this.attempt.members;
    return this.member || `${first.role}-${first.index}`;
  }

  #params() {
    const element = this.array ? { element: this.attempt.element } : {};
    return { member: this.#name(), attempt: this.attempt.number, ...element, tail: TAIL };
  }

  #restart() {
    this.reading?.abort();
    this.reading = new AbortController();
    this.#run(this.reading.signal);
  }

  /** @param {AbortSignal} signal */
  async #run(signal) {
    for (let failures = 0; !signal.aborted; failures++) {
      this.#clear();
      try {
        const params = { ...this.#params(), follow: true };
        const path = `/jobs/${this.job}/logs`;
        const answer = await open({ path, params, headers: { Accept: "text/plain" }, signal });
        this.status = "following";
        for await (const chunk of chunks(answer.body)) {
          failures = 0;
          this.#append(chunk);
        }
        if (signal.aborted) return;
        this.status = this.lines ? "The output has ended." : "The member has written nothing.";
        if (this.#over()) return;
      } catch (failure) {
        if (signal.aborted) return;
        this.status = `The output could not be read: ${failure.message}`;
        if ([403, 404, 400].includes(failure.status) && this.#over()) return;
      }
      const pause = Math.min(LONGEST_PAUSE_MS, 2_000 * 2 ** Math.min(failures, 3));
      await new Promise((resume) => setTimeout(resume, pause));
    }
  }

  /** Whether no more output can come. */
  #over() {
    const member = this.attempt.members.find((m) => `${m.role}-${m.index}` === this.#name());
    return this.attempt.endedAt !== null || [...ENDED, "GONE"].includes(member?.state);
  }

  #clear() {
    this.querySelector("pre")?.replaceChildren();
    this.lines = 0;
  }

  /** Text nodes are appended, the oldest removed: lines are never parsed as markup. @param {string} text */
  #append(text) {
    const pre = this.querySelector("pre");
    if (!pre) return;
    const node = document.createTextNode(text.replace(TERMINAL, ""));
    pre.append(node);
    this.lines += count(node.data);
    while (this.lines > MOST_LINES && pre.childNodes.length > 1) {
      this.lines -= count(/** @type {Text} */ (pre.firstChild).data);
      pre.firstChild?.remove();
    }
    if (this.follows) pre.scrollTop = pre.scrollHeight;
  }

  render() {
    const { tail, ...params } = this.#params();
    const name = this.#name();
    return html`
      <section class="card logs">
        ${heading(
          "Output",
          { path: `/jobs/${this.job}/logs`, params },
          `fairlead logs -f ${this.job} --member ${name}`,
          html`${this.#members(name)}${this.#elsewhere(name)}
            <label><input type="checkbox" .checked=${this.follows} @change=${(e) => (this.follows = e.target.checked)} /> Follow</label>`,
        )}
        <pre
          role="log"
          aria-live="off"
          aria-label=${`Output of ${name}`}
          tabindex="0"
          @scroll=${(event) => this.#scrolled(event.target)}
        ></pre>
        <p class="quiet" role="status">${this.status === "following" ? `The last ${tail} lines and what follows.` : this.status}</p>
      </section>
    `;
  }

  /** Its output in the log store of the platform, which may be all that remains. @param {string} name */
  #elsewhere(name) {
    const member = this.attempt.members.find((m) => `${m.role}-${m.index}` === name);
    const url = member?.logsUrl ?? this.url;
    return url ? html`<a href=${url} target="_blank" rel="noreferrer">Log store</a>` : nothing;
  }

  #members(chosen) {
    const names = this.attempt.members.map((m) => `${m.role}-${m.index}`);
    if (names.length < 2) return nothing;
    return html`<label
      ><span class="hidden">Member</span>
      <select @change=${(event) => ((this.member = event.target.value), this.#restart())}>
        ${names.map((name) => html`<option ?selected=${name === chosen}>${name}</option>`)}
      </select></label
    >`;
  }

  /** Scrolling up stops following, scrolling to the end resumes it. @param {HTMLElement} pre */
  #scrolled(pre) {
    this.follows = pre.scrollTop + pre.clientHeight >= pre.scrollHeight - 24;
  }
}
customElements.define("fl-logs", Logs);

/** @param {string} text */
const count = (text) => text.split("\n").length - 1;
