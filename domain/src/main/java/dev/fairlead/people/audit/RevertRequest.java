package dev.fairlead.people.audit;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request to revert one change.
 *
 * @param actor with the version as its cause
 * @param of a change of an object that existed before and after it
 * @param force whether later changes are ignored
 */
public record RevertRequest(Actor actor, ConfigVersion of, boolean force) {
  /**
   * Returns the object before the change.
   *
   * @throws Refusal ILLEGAL_STATE for a document of another version of the product
   */
  public <T extends Record> T before(Class<T> type) {
    return read(Objects.requireNonNull(of.change().before()), type);
  }

  /** Returns the object after the change, with the same errors as {@link #before}. */
  public <T extends Record> T after(Class<T> type) {
    return read(Objects.requireNonNull(of.change().after()), type);
  }

  private <T extends Record> T read(String document, Class<T> type) {
    return StateDocument.read(document, type)
        .orElseThrow(() ->
            refused(
                "was written by another version of Fairlead with different fields: set the"
                    + " values by hand"));
  }

  /**
   * Returns the version that the command must find.
   *
   * @param now its current version
   * @param then its version after the change
   */
  public long expected(long now, long then) {
    return force ? now : then;
  }

  /** Returns the version like {@link #expected}, null for any. */
  public @Nullable Long expected(long then) {
    return force ? null : Long.valueOf(then);
  }

  /**
   * @param why obstacle to the revert, and the next step
   */
  public Refusal refused(String why) {
    return new Refusal(ProblemCode.ILLEGAL_STATE, "Version %d %s.".formatted(of.version(), why));
  }

  /**
   * Returns the refusal for an object that was replaced or removed, even if another of its name was
   * created since.
   */
  public static Refusal gone() {
    return new Refusal(ProblemCode.NOT_FOUND, "It no longer exists.");
  }
}
