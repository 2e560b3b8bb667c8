package dev.fairlead.work.webhook;

/** Whether events are sent to a webhook. */
public enum WebhookStatus {
  /** Events are sent. A pause, a response 410 or three days without an accepted event end it. */
  ACTIVE,
  /** An owner paused it. Events wait in the log until the owner resumes it. */
  PAUSED,
  /** Fairlead stopped sending. Events wait in the log until an owner resumes it. */
  DISABLED
}
