package dev.fairlead.licence;

import java.util.List;

/** The licences of the installation. An attempt takes its own with its allocations. */
public interface LicenceStore {
  /** By name. It is asked in each cycle: one small statement. */
  List<Licence> licences();

  /** By name, with what is held. */
  List<LicenceUse> uses();

  /**
   * Adds it, or sets how many there are of the one of its name.
   *
   * @return false when that one is of another cluster; then nothing changed
   */
  boolean put(Licence licence);

  /**
   * @return whether it was there
   * @throws dev.fairlead.transaction.Conflict REFERENCED while an attempt holds it
   */
  boolean remove(String name);
}
