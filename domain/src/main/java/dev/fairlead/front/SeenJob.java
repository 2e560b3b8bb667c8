package dev.fairlead.front;

/**
 * A Job that asks Fairlead to run it, as its front cluster shows it.
 *
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

  /** Namespace and name, human-readable. */
  public String text() {
    return namespace + "/" + name;
  }
}
