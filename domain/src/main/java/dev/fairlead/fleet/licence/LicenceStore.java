package dev.fairlead.fleet.licence;

import java.util.List;
import java.util.SortedMap;

/**
 * The licences of the installation and their holds. Licences are documents of the configuration. An
 * attempt takes its holds together with its allocations.
 */
public interface LicenceStore {
  /** Returns the licences by name. Each scheduling cycle reads them with one small statement. */
  List<Licence> licences();

  /** Returns the holds by licence name. A licence without holds is absent. */
  SortedMap<String, Held> held();

  /**
   * The holds of one licence.
   *
   * @param count sum over all attempts, which can exceed a lowered count of the licence
   * @param attempts number of attempts that hold it
   */
  record Held(long count, long attempts) {
    public static final Held NONE = new Held(0, 0);
  }
}
