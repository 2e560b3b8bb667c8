package dev.fairlead.work.job.memory;

/** Guards that an unguarded twin leaves out, to show that they are needed. */
public enum AppendGuard {
  VERSION,
  NAME,
  TERMINAL,
  LIVE_ATTEMPT,
  QUOTA,
  CHECK,
  ROOM,
  BUDGET,
  LICENCE,
  WINDOW,
  BOOKED,
  RELEASE,
  TRANSFER
}
