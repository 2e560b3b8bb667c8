package dev.fairlead.people.tenant;

import java.util.Arrays;
import java.util.List;
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
  TRANSFERS,
  WARM_POOLS;

  private static final String FRONT = "front/";
  private static final String REPAIRER = "repairer/";
  private static final String CONDITIONS = "conditions/";
  private static final String EXPORTER = "exporter/";
  private static final List<String> OF_CLUSTERS = List.of(FRONT, REPAIRER, CONDITIONS, EXPORTER);

  /** Returns the name in jobs, events and audit rows. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the name of the submitter of the Jobs of one namespace on a front cluster. */
  public static String front(String cluster, String namespace) {
    return FRONT + cluster + "/" + namespace;
  }

  /** Returns the name in audit rows of the repairer of the cluster. */
  public static String repairer(String cluster) {
    return REPAIRER + cluster;
  }

  /** Returns the name in audit rows of changes that follow the node conditions of the cluster. */
  public static String conditions(String cluster) {
    return CONDITIONS + cluster;
  }

  /** Returns the name in audit rows of faults in the series of the cluster's GPU exporter. */
  public static String exporter(String cluster) {
    return EXPORTER + cluster;
  }

  /** Returns whether the name belongs to a namespace of this name, on any front cluster. */
  public static boolean isFront(String name, String namespace) {
    return name.startsWith(FRONT) && name.endsWith("/" + namespace);
  }

  /** Returns whether the name belongs to Fairlead, including all names for clusters. */
  public static boolean has(String name) {
    return OF_CLUSTERS.stream().anyMatch(name::startsWith)
        || Arrays.stream(values()).anyMatch(own -> own.text().equals(name));
  }
}
