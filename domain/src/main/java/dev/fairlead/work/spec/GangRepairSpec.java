package dev.fairlead.work.spec;

/**
 * A faulty member of a fixed-size gang is replaced while the others stay on their nodes.
 *
 * @param max how often in one attempt, 1 to {@link #MOST}
 */
public record GangRepairSpec(int max) {
  public static final int MOST = 100;
}
