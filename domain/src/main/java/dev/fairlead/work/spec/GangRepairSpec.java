package dev.fairlead.work.spec;

/**
 * Replacement of a failed member in a gang of fixed size, while the other members continue to run.
 *
 * @param max maximum number of replacements in one attempt, 1 to {@link #MOST}
 */
public record GangRepairSpec(int max) {
  public static final int MOST = 100;
}
