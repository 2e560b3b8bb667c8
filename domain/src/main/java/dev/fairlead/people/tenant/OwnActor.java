package dev.fairlead.people.tenant;

import java.util.Arrays;
import java.util.Locale;

/**
 * Names under which Fairlead itself submits jobs, changes them and writes audit rows. No person or
 * program can sign in with such a name, because the owner of a job is identified by name and would
 * own the jobs of Fairlead.
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

  /** Returns the name in jobs, events and audit rows. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the name of the submitter of the Jobs of one namespace on a front cluster. */
  public static String front(String cluster, String namespace) {
    return FRONT + cluster + "/" + namespace;
  }

  /** Returns whether the name belongs to a namespace of this name, on any front cluster. */
  public static boolean isFront(String name, String namespace) {
    return name.startsWith(FRONT) && name.endsWith("/" + namespace);
  }

  /** Returns whether the name belongs to Fairlead, including the names for front clusters. */
  public static boolean has(String name) {
    return name.startsWith(FRONT)
        || Arrays.stream(values()).anyMatch(own -> own.text().equals(name));
  }
}
