package dev.fairlead.licence;

import java.util.List;

/** The licences of the installation. An attempt takes its own with its allocations. */
public interface LicenceStore {
  /** By name. It is asked in each cycle: one small statement. */
  List<Licence> licences();

  /** By name, with what is held. */
  List<LicenceUse> uses();

  /** Adds it, or replaces the one of its name. */
  void put(Licence licence);

  /**
   * @return whether it was there
   * @throws dev.fairlead.transaction.Conflict REFERENCED while an attempt holds it
   */
  boolean remove(String name);
}
