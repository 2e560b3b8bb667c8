package dev.fairlead.fleet.licence;

import java.util.List;
import java.util.SortedMap;

/**
 * The licences of the installation and their holds. Licences are documents of the configuration; an
 * attempt takes its holds with its allocations.
 */
public interface LicenceStore {
  /** By name. Each scheduling cycle reads them: one small statement. */
  List<Licence> licences();

  /** Holds by the name of the licence; a licence that no attempt holds is absent. */
  SortedMap<String, Held> held();

  /**
   * The holds of one licence.
   *
   * @param count sum over all attempts; exceeds the licence's count after that was lowered
   * @param attempts number of attempts that hold it
   */
  record Held(long count, long attempts) {
    public static final Held NONE = new Held(0, 0);
  }
}
