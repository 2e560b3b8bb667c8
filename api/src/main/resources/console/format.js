/** Times in the viewer's zone, durations and amounts as text. */
import { html } from "lit";

export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const DAY = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const YEAR = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const AMOUNT = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

/** @param {Date} at */
export const clock = (at) => CLOCK.format(at);

/** @param {Date} at today: the time; this year: with the day; else with the year */
function text(at) {
  const now = new Date();
  if (at.toDateString() === now.toDateString()) return CLOCK.format(at);
  const day = at.getFullYear() === now.getFullYear() ? DAY : YEAR;
  return `${day.format(at)}, ${CLOCK.format(at)}`;
}

/** A time in the viewer's zone; the title has it in UTC. @param {string | null | undefined} iso */
export const time = (iso) =>
  iso ? html`<time datetime=${iso} title=${`${iso} (UTC)`}>${text(new Date(iso))}</time>` : "–";

/** @param {number} ms such as 3m 20s: two units at most */
export function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  /** @type {[string, number][]} */
  const units = [
    ["d", 86_400],
    ["h", 3_600],
    ["m", 60],
    ["s", 1],
  ];
  const first = units.findIndex(([, size]) => seconds >= size);
  if (first < 0) return "0s";
  const [unit, size] = units[first];
  const whole = `${Math.floor(seconds / size)}${unit}`;
  const next = units[first + 1];
  const rest = next ? Math.floor((seconds % size) / next[1]) : 0;
  return rest ? `${whole} ${rest}${next[0]}` : whole;
}

/** @param {string | null | undefined} from @param {string | null} [to] now when absent */
export const between = (from, to) =>
  from ? duration((to ? Date.parse(to) : Date.now()) - Date.parse(from)) : "–";

/** @param {number | string | null | undefined} value */
export const amount = (value) =>
  value === null || value === undefined ? "–" : typeof value === "number" ? AMOUNT.format(value) : value;

/** A value as one word of a POSIX shell. @param {string} value */
export const word = (value) => (/^[\w.:@+,/-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);

/** @param {number} part @param {number} whole */
export const percent = (part, whole) => (whole > 0 ? Math.round((100 * part) / whole) : 0);

/** WAITING_FOR_VICTIMS and maxRuntime as words. @param {string} code */
export const words = (code) =>
  code.includes("_") || code === code.toUpperCase()
    ? code.toLowerCase().replaceAll("_", " ")
    : code.replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);

/** GPUs of a job: what it holds of what it asks for. @param {Api.Schemas["JobResponse"]["gpus"]} gpus */
export function gpus({ requested, allocated, model }) {
  const held = allocated && allocated !== requested ? `${amount(allocated)}/` : "";
  return `${held}${amount(requested)}${model ? ` ${model}` : ""}`;
}
