package dev.fairlead.front;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * A Job, or an object of another kind, that Fairlead is asked to run, as listed by its front
 * cluster.
 *
 * @param name its name. An object of another kind has {@code kind/name}, as for {@code kubectl}
 * @param version version of the object, as its cluster counts them
 * @param deleting whether it is deleted as soon as its finalizers are removed
 * @param held whether Fairlead holds it
 * @param foreign whether another installation of Fairlead has adopted it
 * @param suspended whether it is suspended by its user
 * @param endsEarly whether one permanently failed completion ends the others
 */
@RecordBuilder
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
    FrontStatus status)
    implements SeenJobBuilder.With {
  /** Value with which a Job requests to be run by Fairlead. */
  public static final String MANAGER = "fairlead.dev/job";

  /**
   * Annotation of a job that reserves the quota and the nodes of an object on its own cluster:
   * {@code namespace/kind/name/uid}. Users cannot submit it.
   */
  public static final String IN_PLACE = "front.fairlead.dev/object";

  /** Start of the name of a Workload, which runs elsewhere as a Job does. */
  public static final String WORKLOAD = "workload/";

  /** Start of the name of a ModelService. */
  public static final String MODEL_SERVICE = "modelservice/";

  /** Returns whether the object is a ModelService, which has a service and no job. */
  public boolean isService() {
    return name.startsWith(MODEL_SERVICE);
  }

  /** The status of a ModelService. */
  ServiceStatus service() {
    ServiceStatus service = status.service();
    return service == null ? ServiceStatus.unread(0, "") : service;
  }

  /** Generation of the spec of a ModelService, 0 for other objects. */
  public long generation() {
    return service().generation();
  }

  /** Digest of the spec of a ModelService, empty for other objects. */
  public String digest() {
    return service().digest();
  }

  /** The name without the kind. */
  public String ownName() {
    return name.substring(name.indexOf('/') + 1);
  }

  /** Returns whether the object is a Workload: its spec is a job spec. */
  public boolean workload() {
    return name.startsWith(WORKLOAD);
  }

  /** Returns whether the object is a Workload with a spec that Fairlead has not read. */
  public boolean unread() {
    return workload() && status.equals(FrontStatus.NEW);
  }

  /**
   * Returns whether the pods of the object run on its own cluster, started by another controller.
   */
  public boolean inPlace() {
    return name.indexOf('/') > 0 && !workload() && !isService();
  }

  /** Returns the Job with or without a requested suspension. */
  public SeenJob suspended(boolean asks) {
    return withSuspended(asks);
  }

  /** Namespace and name, human-readable. */
  public String text() {
    return namespace + "/" + name;
  }
}
