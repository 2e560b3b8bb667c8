package dev.fairlead.people.tenant;

import java.util.Arrays;
import java.util.Locale;

/**
 * Names under which Fairlead itself submits jobs, changes them and writes audit rows. No person and
 * no program signs in with such a name: the owner of a job is known by name, so it would own the
 * jobs of Fairlead.
 */
public enum OwnActor {
  ARCHIVE,
  BUDGETS,
  HEALTH_TESTS,
  PROGRESS,
  SCHEDULER,
  SUPERVISOR,
  SYSTEM,
  TRANSFERS;

  private static final String FRONT = "front/";

  /** The name, as jobs, events and audit rows show it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Name of the submitter of the Jobs of one namespace on a front cluster. */
  public static String front(String cluster, String namespace) {
    return FRONT + cluster + "/" + namespace;
  }

  /** Whether the name is that of a namespace of this name, on any front cluster. */
  public static boolean isFront(String name, String namespace) {
    return name.startsWith(FRONT) && name.endsWith("/" + namespace);
  }

  /** Whether the name is one of Fairlead's own, of any front cluster too. */
  public static boolean has(String name) {
    return name.startsWith(FRONT)
        || Arrays.stream(values()).anyMatch(own -> own.text().equals(name));
  }
}
