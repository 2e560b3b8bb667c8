package dev.fairlead.care.health;

import java.time.Duration;

/** Rungs of the repair ladder, the weakest first. */
public enum RepairStep {
  /** Nothing to repair. */
  NONE,
  /** The job begins again on the same device. */
  RESTART_JOB,
  /** The driver resets the GPU; its neighbours go on. */
  RESET_GPU,
  /** The machine boots again. */
  REBOOT,
  /** The machine is without power for a while. */
  POWER_CYCLE,
  /** A person looks at cables, power or firmware. */
  SERVICE,
  /** The device is exchanged. */
  REPLACE;

  /** Whether something has to be done to the machine. */
  public boolean repairs() {
    return compareTo(RESTART_JOB) > 0;
  }

  /** Whether the machine does it by itself, within the hour; others wait for people and parts. */
  public boolean quick() {
    return repairs() && compareTo(SERVICE) < 0;
  }

  /** How long it may take before it is overdue. */
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

  /** What is tried when it did not help; itself when nothing is stronger. */
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

  /** The stronger of the two. */
  public RepairStep or(RepairStep other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
