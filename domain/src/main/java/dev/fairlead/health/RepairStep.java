package dev.fairlead.health;

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

  /** The stronger of the two. */
  public RepairStep or(RepairStep other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
