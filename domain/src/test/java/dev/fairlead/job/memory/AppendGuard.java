package dev.fairlead.job.memory;

/** Guards that an unguarded twin leaves out, to show that they are needed. */
public enum AppendGuard {
  VERSION,
  TERMINAL,
  LIVE_ATTEMPT,
  QUOTA,
  ROOM
}
