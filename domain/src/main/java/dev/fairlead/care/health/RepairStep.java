package dev.fairlead.care.health;

import java.time.Duration;

/** Repair steps, weakest first. */
public enum RepairStep {
  /** Nothing to repair. */
  NONE,
  /** The job restarts on the same device. */
  RESTART_JOB,
  /** The driver resets the GPU. Other GPUs are not affected. */
  RESET_GPU,
  /** The machine reboots. */
  REBOOT,
  /** The machine is powered off for a while. */
  POWER_CYCLE,
  /** A technician checks cables, power or firmware. */
  SERVICE,
  /** The device is replaced. */
  REPLACE;

  /** Returns whether the step acts on the machine. */
  public boolean repairs() {
    return compareTo(RESTART_JOB) > 0;
  }

  /**
   * Returns whether the machine performs the step itself, within an hour. Other steps wait for
   * people and parts.
   */
  public boolean quick() {
    return repairs() && compareTo(SERVICE) < 0;
  }

  /** Returns the time after which it is overdue. */
  public Duration allowed() {
    return switch (this) {
      case NONE, RESTART_JOB -> Duration.ZERO;
      case RESET_GPU -> Duration.ofMinutes(20);
      case REBOOT -> Duration.ofMinutes(30);
      case POWER_CYCLE -> Duration.ofHours(1);
      case SERVICE -> Duration.ofDays(3);
      case REPLACE -> Duration.ofDays(14);
    };
  }

  /** Returns the step to try if this one did not help, or the same step if it is the strongest. */
  public RepairStep next() {
    return switch (this) {
      case NONE -> RESTART_JOB;
      case RESTART_JOB -> RESET_GPU;
      case RESET_GPU -> REBOOT;
      case REBOOT -> POWER_CYCLE;
      case POWER_CYCLE -> SERVICE;
      case SERVICE, REPLACE -> REPLACE;
    };
  }

  /** Returns the stronger of the two. */
  public RepairStep or(RepairStep other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
