package dev.fairlead.front;

/**
 * A Job that asks Fairlead to run it, as its front cluster shows it, or an object of another kind.
 *
 * @param name its name. An object of another kind has {@code kind/name}, as for {@code kubectl}
 * @param version of the object, as its cluster counts them
 * @param deleting whether it is deleted as soon as its finalizers are removed
 * @param held whether Fairlead holds it
 * @param foreign whether another installation of Fairlead has adopted it
 * @param suspended whether it asks not to run
 * @param endsEarly whether one permanently failed completion ends the others
 */
public record SeenJob(
    String uid,
    String namespace,
    String name,
    String version,
    boolean deleting,
    boolean held,
    boolean foreign,
    boolean suspended,
    boolean endsEarly,
    FrontStatus status) {
  /** Value by which a Job asks Fairlead to run it. */
  public static final String MANAGER = "fairlead.dev/job";

  /**
   * Annotation of a job that reserves the quota and the nodes of an object on its own cluster:
   * {@code namespace/kind/name/uid}. Users cannot submit it.
   */
  public static final String IN_PLACE = "front.fairlead.dev/object";

  /** Start of the name of a Workload, which runs elsewhere as a Job does. */
  public static final String WORKLOAD = "workload/";

  /** Whether it is a Workload: its spec is a job spec. */
  public boolean workload() {
    return name.startsWith(WORKLOAD);
  }

  /** Whether it is a Workload with a spec that Fairlead has not read. */
  public boolean unread() {
    return workload() && status.equals(FrontStatus.NEW);
  }

  /** Whether its pods run on its own cluster, started by another controller. */
  public boolean inPlace() {
    return name.indexOf('/') > 0 && !workload();
  }

  /** The same if it asks to be suspended, or does not. */
  public SeenJob suspended(boolean asks) {
    return new SeenJob(
        uid, namespace, name, version, deleting, held, foreign, asks, endsEarly, status);
  }

  /** Namespace and name, human-readable. */
  public String text() {
    return namespace + "/" + name;
  }
}
