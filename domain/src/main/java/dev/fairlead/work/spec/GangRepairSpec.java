package dev.fairlead.work.spec;

/**
 * A member of a gang of fixed size that a fault takes is replaced while the others keep their
 * places.
 *
 * @param max how often in one attempt, 1 to {@link #MOST}
 */
public record GangRepairSpec(int max) {
  public static final int MOST = 100;
}
