package dev.fairlead.kernel.doctor;

import java.util.List;

/** Checks one part of the installation. Changes nothing. */
public interface Diagnosis {
  /** The area of its checks. */
  String area();

  /**
   * Current checks, one for each possible problem.
   *
   * @throws RuntimeException when the check fails, which is a problem in itself
   */
  List<DoctorCheck> look();
}
