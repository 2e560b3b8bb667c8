package dev.fairlead.kernel.doctor;

import org.jspecify.annotations.Nullable;

/**
 * Result of one check.
 *
 * @param area area of the check, such as leases
 * @param subject checked object of the area, such as scheduler
 * @param verdict OK. WARNING: works, but is at risk. PROBLEM: does not work
 * @param found finding in words
 * @param next next step, null for OK
 */
public record DoctorCheck(
    String area, String subject, Verdict verdict, String found, @Nullable String next) {
  /** Results, the better before the worse. */
  public enum Verdict {
    /** No problem was found. */
    OK,
    /** Works. May cause a failure. */
    WARNING,
    /** Causes a failure. */
    PROBLEM
  }

  public static DoctorCheck ok(String area, String subject, String found) {
    return new DoctorCheck(area, subject, Verdict.OK, found, null);
  }

  public static DoctorCheck warning(String area, String subject, String found, String next) {
    return new DoctorCheck(area, subject, Verdict.WARNING, found, next);
  }

  public static DoctorCheck problem(String area, String subject, String found, String next) {
    return new DoctorCheck(area, subject, Verdict.PROBLEM, found, next);
  }
}
