package dev.fairlead.kernel.doctor;

import java.util.List;

/** Checks one part of the installation. Changes nothing. */
public interface Diagnosis {
  /** The area of its checks. */
  String area();

  /**
   * Present checks, one for each thing that can be wrong.
   *
   * @throws RuntimeException when the check fails, which is a problem in itself
   */
  List<Check> look();
}
